package cleave.deploy;

import static cleave.architecture.Layers.knowsNone;
import static cleave.architecture.Layers.knowsOnly;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import cleave.architecture.Product;
import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The permitted dependencies of the whole project: this is the only module that sees all roles. */
@AnalyzeClasses(packages = "cleave", importOptions = Product.class)
class LayeringTest {
    private static final String MASTER = "cleave.master..";
    private static final String SERVER = "cleave.server..";
    private static final String FRONT_END = "cleave.frontend..";
    private static final String DFS = "cleave.dfs..";
    private static final String DEPLOY = "cleave.deploy..";
    private static final String SHARED = "cleave.[wire|model|route|runtime]..";

    @ArchTest
    static final ArchRule mastersKnowNoOtherRole = knowsNone(MASTER, SERVER, FRONT_END);

    @ArchTest
    static final ArchRule serversKnowNoOtherRole = knowsNone(SERVER, MASTER, FRONT_END);

    @ArchTest
    static final ArchRule frontEndsKnowNoOtherRoleAndNoFiles = knowsNone(FRONT_END, MASTER, SERVER, DFS);

    @ArchTest
    static final ArchRule theDfsKnowsNoRole = knowsNone(DFS, MASTER, SERVER, FRONT_END);

    @ArchTest
    static final ArchRule whatAllShareKnowsNobody = knowsNone(SHARED, MASTER, SERVER, FRONT_END, DFS);

    @ArchTest
    static final ArchRule nobodyKnowsTheCommand = knowNone("cleave..", new String[] {DEPLOY, "cleave.chaos.."}, DEPLOY);

    @ArchTest
    static final ArchRule nobodyKnowsTheChaosTests = knowNone("..", new String[] {"cleave.chaos.."}, "cleave.chaos..");

    @ArchTest
    static final ArchRule onlyTwoPackagesMakeRoles = knowNone(
            DEPLOY, new String[] {"cleave.deploy.[role|standalone|access|sas|backup].."}, MASTER, SERVER, FRONT_END);

    /** A table is read out of a backup by the stores of servers, and becomes JSON as the protocol has it. */
    @ArchTest
    static final ArchRule backupsMakeNoRoles = knowsNone(
            "cleave.deploy.backup..",
            MASTER,
            "cleave.server",
            "cleave.server.[membership|rpc|range|handoff|opening]..",
            "cleave.frontend",
            "cleave.frontend.[core|rpc|http]..");

    @ArchTest
    static final ArchRule signaturesAreMadeAndJudgedByTheProtocolAlone = noClasses()
            .that()
            .resideInAPackage("cleave.deploy.sas..")
            .should()
            .dependOnClassesThat(JavaClass.Predicates.resideInAPackage(FRONT_END)
                    .and(DescribedPredicate.not(JavaClass.Predicates.resideInAPackage("cleave.frontend.protocol.."))));

    @ArchTest
    static final ArchRule onlyBackupsAndThoseReachTheDfs =
            knowNone(DEPLOY, new String[] {"cleave.deploy.[role|standalone|access|backup].."}, DFS);

    @ArchTest
    static final ArchRule theDemoKnowsTheServiceFromOutside = knowsOnly(
            "cleave.deploy.demo..",
            "cleave.deploy.. cleave.client.. cleave.wire.. java.. com.fasterxml.. picocli.. "
                    + "org.jspecify.. com.google.protobuf..");

    @ArchTest
    static final ArchRule whatWritesToTheTerminalKnowsNothingElse = knowsNone(
            "cleave.deploy.terminal..", "cleave.deploy.role..", "cleave.deploy.cluster..", "cleave.deploy.demo..");

    /** @param but those of them that may know it */
    private static ArchRule knowNone(String who, String[] but, String... whom) {
        return noClasses()
                .that()
                .resideInAPackage(who)
                .and()
                .resideOutsideOfPackages(but)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(whom);
    }
}
