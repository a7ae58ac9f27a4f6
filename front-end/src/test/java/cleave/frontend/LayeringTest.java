package cleave.frontend;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** Who may know whom in this module: root to adapters to loop to policy, batch, service and auth to odata. */
@AnalyzeClasses(packages = "cleave.frontend", importOptions = DoNotIncludeTests.class)
class LayeringTest {
    private static final String ROOT = "cleave.frontend";
    private static final String ADAPTERS = "cleave.frontend.[http|rpc|refresh]";
    private static final String LOOP = "cleave.frontend.loop";
    private static final String SETTINGS = "cleave.frontend.settings";
    private static final String METRICS = "cleave.frontend.metrics";
    private static final String[] PROTOCOL = {
        "cleave.frontend.protocol.odata",
        "cleave.frontend.protocol.auth",
        "cleave.frontend.protocol.batch",
        "cleave.frontend.policy",
        "cleave.frontend.protocol.service"
    };
    private static final String[] CORE = {
        "cleave.frontend.protocol.odata",
        "cleave.frontend.protocol.auth",
        "cleave.frontend.protocol.batch",
        "cleave.frontend.policy",
        "cleave.frontend.protocol.service",
        LOOP
    };

    @ArchTest
    static final ArchRule theCoreKnowsNoNetworkAndNoDisk = noClasses()
            .that()
            .resideInAnyPackage(CORE)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "io.vertx..",
                    "io.netty..",
                    "io.grpc..",
                    "io.prometheus..",
                    "cleave.runtime.rpc..",
                    "cleave.route.rpc..",
                    "java.net..",
                    "java.nio.file..",
                    "java.nio.channels..");

    @ArchTest
    static final ArchRule theCoreHasNoThreads = noClasses()
            .that()
            .resideInAnyPackage(CORE)
            .should()
            .dependOnClassesThat()
            .haveNameMatching(
                    "java\\.util\\.concurrent\\.(?!CompletableFuture|CompletionException|CompletionStage|TimeUnit).*|java\\.lang\\.Thread.*");

    @ArchTest
    static final ArchRule theProtocolKnowsNeitherTheLoopNorFutures = noClasses()
            .that()
            .resideInAnyPackage(PROTOCOL)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(ROOT, LOOP, ADAPTERS, METRICS, "cleave.route..", "cleave.runtime.loop..");

    @ArchTest
    static final ArchRule theLoopKnowsNoAdapter = noClasses()
            .that()
            .resideInAPackage(LOOP)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(ROOT, ADAPTERS);

    @ArchTest
    static final ArchRule adaptersDoNotKnowEachOther =
            slices().matching("cleave.frontend.(http|rpc|refresh)").should().notDependOnEachOther();

    @ArchTest
    static final ArchRule adaptersDoNotKnowTheRoot = noClasses()
            .that()
            .resideInAPackage(ADAPTERS)
            .should()
            .dependOnClassesThat()
            .resideInAPackage(ROOT);

    @ArchTest
    static final ArchRule httpKnowsNothingOfRangesAndMasters = noClasses()
            .that()
            .resideInAPackage("cleave.frontend.http")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("cleave.route..", "cleave.runtime.rpc..", "cleave.wire..", "cleave.frontend.rpc");

    @ArchTest
    static final ArchRule onlyTheMetricsKnowTheirLibrary = noClasses()
            .that()
            .resideOutsideOfPackage(METRICS)
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.prometheus..");

    @ArchTest
    static final ArchRule onlyHttpAndTheRootKnowVertx = noClasses()
            .that()
            .resideOutsideOfPackages(ROOT, "cleave.frontend.http")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.vertx..");

    @ArchTest
    static final ArchRule settingsKnowNoPartOfTheRoleButItsAccounts = classes()
            .that()
            .resideInAPackage(SETTINGS)
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    SETTINGS, "cleave.frontend.protocol.auth", "cleave.runtime.settings", "java..", "org.jspecify..");

    @ArchTest
    static final ArchRule noOtherRoleIsKnown = noClasses()
            .that()
            .resideInAPackage("cleave.frontend..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("cleave.master..", "cleave.server..", "cleave.dfs..", "cleave.deploy..");
}
