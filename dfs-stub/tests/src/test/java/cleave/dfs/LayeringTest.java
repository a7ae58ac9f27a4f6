package cleave.dfs;

import static cleave.architecture.Layers.isKnownOnlyTo;
import static cleave.architecture.Layers.knowsNone;
import static cleave.architecture.Layers.knowsOnly;
import static cleave.architecture.Layers.nobodyKnows;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
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
 * Who may know whom in this role: root, then adapters, then the cores of node and client, then their link, then state. The
 * contract ({@code Dfs}, {@code DfsFile}, {@code DfsException}), and what engines share ({@code Retries}), lie in the root
 * package for their users' sake and are known to all but state.
 */
@AnalyzeClasses(packages = "cleave.dfs", importOptions = Product.class)
class LayeringTest {
    @ArchTest
    static final ArchRule namesArePure = PureCore.ofSilent("cleave.dfs.state");

    @ArchTest
    static final ArchRule rulesArePure = PureCore.ofSilent("cleave.dfs.policy");

    @ArchTest
    static final ArchRule theNodeIsPure = PureCore.of("cleave.dfs.node");

    @ArchTest
    static final ArchRule theClientIsPure = PureCore.of("cleave.dfs.client");

    @ArchTest
    static final ArchRule whatTheyShareIsPure = PureCore.of("cleave.dfs.link");

    @ArchTest
    static final ArchRule stateKnowsValuesOnly = knowsOnly(
            "cleave.dfs.state",
            "cleave.dfs.state cleave.model.. java.lang.. java.util java.util.regex org.pcollections.. "
                    + "org.jspecify..");

    @ArchTest
    static final ArchRule coresKnowNoAdapters = knowsNone(
            "cleave.dfs.node cleave.dfs.client cleave.dfs.link",
            "cleave.dfs.store cleave.dfs.rpc cleave.dfs.settings cleave.runtime.rpc.. java.io..");

    /** They meet in the link alone: a client reaches its node in this process as it does elsewhere. */
    @ArchTest
    static final ArchRule theCoresDoNotKnowEachOther =
            slices().matching("cleave.dfs.(node|client)").should().notDependOnEachOther();

    @ArchTest
    static final ArchRule theLinkKnowsNoCore = knowsNone("cleave.dfs.link", "cleave.dfs.node", "cleave.dfs.client");

    @ArchTest
    static final ArchRule onlyTheContractOfTheRootIsKnownInside = noClasses()
            .that()
            .resideOutsideOfPackage("cleave.dfs")
            .should()
            .dependOnClassesThat()
            .haveNameMatching("cleave\\.dfs\\.(DfsNode|DfsClients).*");

    @ArchTest
    static final ArchRule storesKnowNoNetwork =
            knowsNone("cleave.dfs.store", "cleave.dfs.rpc cleave.runtime.rpc.. io.grpc.. java.net..");

    @ArchTest
    static final ArchRule theServiceKnowsNoDisk = knowsNone("cleave.dfs.rpc", "cleave.dfs.store", "java.nio..");

    @ArchTest
    static final ArchRule onlyMetricsKnowTheMetricsLibrary = isKnownOnlyTo("io.prometheus..", "cleave.dfs.metrics");

    @ArchTest
    static final ArchRule rolesAreUnknown =
            nobodyKnows("cleave.master.. cleave.server.. cleave.frontend.. cleave.deploy.. cleave.chaos..");

    @ArchTest
    static final ArchRule nobodyWaitsOrSleeps = Layers.nobodyWaitsOrSleeps();

    @ArchTest
    static void whatIsConfinedToALoopChecksIt(JavaClasses classes) throws IOException {
        assertThat(Confinement.unchecked(Path.of("../src/main/java"))).isEmpty();
    }
}
