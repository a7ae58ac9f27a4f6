package cleave.server;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import cleave.architecture.Confinement;
import cleave.architecture.Product;
import cleave.architecture.PureCore;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Who may know whom in this role: root, then adapters, then the core (membership, handoff, opening, range, outside), then policy, then
 * state, then the model.
 */
@AnalyzeClasses(packages = "cleave.server", importOptions = Product.class)
class LayeringTest {
    /** The range, and what drives it. */
    private static final String[] CORE = {
        "cleave.server.range",
        "cleave.server.opening",
        "cleave.server.handoff",
        "cleave.server.membership",
        "cleave.server.outside"
    };

    @ArchTest
    static final ArchRule stateAndPolicyArePure = PureCore.ofSilent("cleave.server.state", "cleave.server.policy");

    @ArchTest
    static final ArchRule theCoreIsPure = PureCore.of(CORE);

    @ArchTest
    static final ArchRule stateKnowsValuesOnly = classes()
            .that()
            .resideInAPackage("cleave.server.state")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "cleave.server.state",
                    "cleave.model..",
                    "cleave.wire",
                    "java.lang..",
                    "java.util",
                    "java.util.function",
                    "java.util.zip",
                    "java.nio",
                    "com.google.protobuf",
                    "org.jspecify..");

    @ArchTest
    static final ArchRule policyKnowsStateAndValues = classes()
            .that()
            .resideInAPackage("cleave.server.policy")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "cleave.server.policy",
                    "cleave.server.state",
                    "cleave.model..",
                    "cleave.wire",
                    "java.lang..",
                    "java.util",
                    "java.util.function",
                    "com.google.protobuf",
                    "org.jspecify..");

    @ArchTest
    static final ArchRule theStateOfARangeIsPure = classes()
            .that()
            .haveNameMatching("cleave\\.server\\.range\\.RangeState.*")
            .should()
            .onlyDependOnClassesThat(resideInAnyPackage("java.lang..", "java.util", "org.jspecify..")
                    .or(nameMatching(".*cleave\\.server\\.range\\.RangeState.*")));

    @ArchTest
    static final ArchRule outsideKnowsNothingOfTheCore = noClasses()
            .that()
            .resideInAPackage("cleave.server.outside")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "cleave.server.range",
                    "cleave.server.opening",
                    "cleave.server.handoff",
                    "cleave.server.membership");

    @ArchTest
    static final ArchRule rangesKnowOutsideOnly = noClasses()
            .that()
            .resideInAPackage("cleave.server.range")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("cleave.server.opening", "cleave.server.handoff", "cleave.server.membership");

    @ArchTest
    static final ArchRule openingsKnowRanges = noClasses()
            .that()
            .resideInAPackage("cleave.server.opening")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("cleave.server.handoff", "cleave.server.membership");

    @ArchTest
    static final ArchRule handoffsKnowRangesAndOpenings = noClasses()
            .that()
            .resideInAPackage("cleave.server.handoff")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("cleave.server.membership");

    @ArchTest
    static final ArchRule theCoreKnowsNoAdapters = noClasses()
            .that()
            .resideInAnyPackage(CORE)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "cleave.server",
                    "cleave.server.rpc",
                    "cleave.server.store",
                    "cleave.server.dfs",
                    "cleave.runtime.rpc..",
                    "cleave.route..",
                    "cleave.dfs.*..",
                    "java.io..");

    @ArchTest
    static final ArchRule onlyStoresKnowRocksDb = noClasses()
            .that()
            .resideOutsideOfPackage("cleave.server.store")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.rocksdb..");

    @ArchTest
    static final ArchRule onlyRpcAndRootKnowGrpc = noClasses()
            .that()
            .resideOutsideOfPackages("cleave.server.rpc", "cleave.server")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.grpc..");

    @ArchTest
    static final ArchRule onlyMetricsKnowTheMetricsLibrary = noClasses()
            .that()
            .resideOutsideOfPackages(
                    "cleave.server.metrics", "cleave.server.range", "cleave.server.membership", "cleave.server.handoff")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.prometheus..");

    @ArchTest
    static final ArchRule otherRolesAreUnknown = noClasses()
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("cleave.master..", "cleave.frontend..", "cleave.deploy..", "cleave.chaos..");

    @ArchTest
    static final ArchRule nobodySynchronizes = noClasses()
            .should()
            .callMethod(Object.class, "wait")
            .orShould()
            .callMethod(Thread.class, "sleep", long.class);

    @ArchTest
    static void whatIsConfinedToALoopChecksIt(JavaClasses classes) throws IOException {
        assertThat(Confinement.unchecked(Path.of("../src/main/java"))).isEmpty();
    }
}
