package cleave.server;

import static cleave.architecture.Layers.isKnownOnlyTo;
import static cleave.architecture.Layers.knowsNone;
import static cleave.architecture.Layers.knowsOnly;
import static cleave.architecture.Layers.nobodyKnows;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static org.assertj.core.api.Assertions.assertThat;

import cleave.architecture.Confinement;
import cleave.architecture.Layers;
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
    static final ArchRule stateKnowsValuesOnly = knowsOnly(
            "cleave.server.state",
            "cleave.server.state cleave.model.. cleave.wire java.lang.. java.util java.util.function "
                    + "java.util.zip java.nio com.google.protobuf org.jspecify..");

    @ArchTest
    static final ArchRule policyKnowsStateAndValues = knowsOnly(
            "cleave.server.policy",
            "cleave.server.policy cleave.server.state cleave.model.. cleave.wire java.lang.. "
                    + "java.util java.util.function com.google.protobuf org.jspecify..");

    @ArchTest
    static final ArchRule theStateOfARangeIsPure = classes()
            .that()
            .haveNameMatching("cleave\\.server\\.range\\.RangeState.*")
            .should()
            .onlyDependOnClassesThat(resideInAnyPackage("java.lang..", "java.util", "org.jspecify..")
                    .or(nameMatching(".*cleave\\.server\\.range\\.RangeState.*")));

    @ArchTest
    static final ArchRule outsideKnowsNothingOfTheCore = knowsNone(
            "cleave.server.outside",
            "cleave.server.range cleave.server.opening cleave.server.handoff cleave.server.membership");

    @ArchTest
    static final ArchRule rangesKnowOutsideOnly = knowsNone(
            "cleave.server.range", "cleave.server.opening", "cleave.server.handoff", "cleave.server.membership");

    @ArchTest
    static final ArchRule openingsKnowRanges =
            knowsNone("cleave.server.opening", "cleave.server.handoff", "cleave.server.membership");

    @ArchTest
    static final ArchRule handoffsKnowRangesAndOpenings =
            knowsNone("cleave.server.handoff", "cleave.server.membership");

    @ArchTest
    static final ArchRule theCoreKnowsNoAdapters = knowsNone(
            String.join(" ", CORE),
            "cleave.server cleave.server.rpc cleave.server.store cleave.server.dfs "
                    + "cleave.runtime.rpc.. cleave.route.. cleave.dfs.*.. java.io..");

    @ArchTest
    static final ArchRule onlyStoresKnowRocksDb = isKnownOnlyTo("org.rocksdb..", "cleave.server.store");

    @ArchTest
    static final ArchRule onlyRpcAndRootKnowGrpc = isKnownOnlyTo("io.grpc..", "cleave.server.rpc", "cleave.server");

    @ArchTest
    static final ArchRule onlyMetricsKnowTheMetricsLibrary = isKnownOnlyTo(
            "io.prometheus..",
            "cleave.server.metrics cleave.server.range cleave.server.membership cleave.server.handoff");

    @ArchTest
    static final ArchRule otherRolesAreUnknown =
            nobodyKnows("cleave.master.. cleave.frontend.. cleave.deploy.. cleave.chaos..");

    @ArchTest
    static final ArchRule nobodySynchronizes = Layers.nobodyWaitsOrSleeps();

    @ArchTest
    static void whatIsConfinedToALoopChecksIt(JavaClasses classes) throws IOException {
        assertThat(Confinement.unchecked(Path.of("../src/main/java"))).isEmpty();
    }
}
