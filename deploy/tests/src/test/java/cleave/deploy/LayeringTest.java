package cleave.deploy;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
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
    private static final String[] SHARED = {"cleave.wire..", "cleave.model..", "cleave.route..", "cleave.runtime.."};

    @ArchTest
    static final ArchRule mastersKnowNoOtherRole = noClasses()
            .that()
            .resideInAPackage(MASTER)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(SERVER, FRONT_END);

    @ArchTest
    static final ArchRule serversKnowNoOtherRole = noClasses()
            .that()
            .resideInAPackage(SERVER)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(MASTER, FRONT_END);

    @ArchTest
    static final ArchRule frontEndsKnowNoOtherRoleAndNoFiles = noClasses()
            .that()
            .resideInAPackage(FRONT_END)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(MASTER, SERVER, DFS);

    @ArchTest
    static final ArchRule theDfsKnowsNoRole = noClasses()
            .that()
            .resideInAPackage(DFS)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(MASTER, SERVER, FRONT_END);

    @ArchTest
    static final ArchRule whatAllShareKnowsNobody = noClasses()
            .that()
            .resideInAnyPackage(SHARED)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(MASTER, SERVER, FRONT_END, DFS);

    @ArchTest
    static final ArchRule nobodyKnowsTheCommand = noClasses()
            .that()
            .resideInAPackage("cleave..")
            .and()
            .resideOutsideOfPackages(DEPLOY, "cleave.chaos..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage(DEPLOY);

    @ArchTest
    static final ArchRule nobodyKnowsTheChaosTests = noClasses()
            .that()
            .resideOutsideOfPackage("cleave.chaos..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("cleave.chaos..");

    @ArchTest
    static final ArchRule onlyTwoPackagesMakeRoles = noClasses()
            .that()
            .resideInAPackage(DEPLOY)
            .and()
            .resideOutsideOfPackages(
                    "cleave.deploy.role..",
                    "cleave.deploy.standalone..",
                    "cleave.deploy.access..",
                    "cleave.deploy.sas..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(MASTER, SERVER, FRONT_END);

    @ArchTest
    static final ArchRule signaturesAreMadeAndJudgedByTheProtocolAlone = noClasses()
            .that()
            .resideInAPackage("cleave.deploy.sas..")
            .should()
            .dependOnClassesThat(JavaClass.Predicates.resideInAPackage(FRONT_END)
                    .and(DescribedPredicate.not(JavaClass.Predicates.resideInAPackage("cleave.frontend.protocol.."))));

    @ArchTest
    static final ArchRule onlyBackupsAndThoseReachTheDfs = noClasses()
            .that()
            .resideInAPackage(DEPLOY)
            .and()
            .resideOutsideOfPackages(
                    "cleave.deploy.role..",
                    "cleave.deploy.standalone..",
                    "cleave.deploy.access..",
                    "cleave.deploy.backup..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage(DFS);

    @ArchTest
    static final ArchRule theDemoKnowsTheServiceFromOutside = classes()
            .that()
            .resideInAPackage("cleave.deploy.demo..")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "cleave.deploy..",
                    "cleave.client..",
                    "cleave.wire..",
                    "java..",
                    "com.fasterxml..",
                    "picocli..",
                    "org.jspecify..",
                    "com.google.protobuf..");

    @ArchTest
    static final ArchRule whatWritesToTheTerminalKnowsNothingElse = noClasses()
            .that()
            .resideInAPackage("cleave.deploy.terminal..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("cleave.deploy.role..", "cleave.deploy.cluster..", "cleave.deploy.demo..");
}
