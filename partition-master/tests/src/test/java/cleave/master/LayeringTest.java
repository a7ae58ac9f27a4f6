package cleave.master;

import static cleave.architecture.Layers.isKnownOnlyTo;
import static cleave.architecture.Layers.knowsNone;
import static cleave.architecture.Layers.knowsOnly;
import static cleave.architecture.Layers.nobodyKnows;
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

/** Who may know whom inside the master. */
@AnalyzeClasses(packages = "cleave.master", importOptions = Product.class)
class LayeringTest {
    /** Of java.io, streams of bytes, for a snapshot is written row by row; PureCore bans files. */
    @ArchTest
    static final ArchRule STATE_KNOWS_VALUES_ONLY = knowsOnly(
            "cleave.master.state",
            "cleave.master.state cleave.model.. cleave.runtime.settings cleave.wire "
                    + "com.google.protobuf org.pcollections org.jspecify.. java.io java.lang.. java.util "
                    + "java.util.function java.util.stream java.util.regex");

    @ArchTest
    static final ArchRule POLICY_KNOWS_STATE_AND_VALUES_ONLY = knowsOnly(
            "cleave.master.policy",
            "cleave.master.policy cleave.master.state cleave.model.. io.netty.util.collection "
                    + "org.pcollections org.jspecify.. java.lang.. java.util java.util.function java.util.regex "
                    + "java.util.stream");

    /** The master's loop, and the parts of the core that it drives. */
    private static final String[] CORE = {
        "cleave.master.core",
        "cleave.master.handoff",
        "cleave.master.takeover",
        "cleave.master.membership",
        "cleave.master.sweep",
        "cleave.master.tables",
        "cleave.master.servers",
        "cleave.master.events",
        "cleave.master.replication"
    };

    @ArchTest
    static final ArchRule STATE_AND_POLICY_ARE_PURE = PureCore.ofSilent("cleave.master.state", "cleave.master.policy");

    @ArchTest
    static final ArchRule CORE_IS_PURE = PureCore.of(CORE);

    @ArchTest
    static final ArchRule CORE_KNOWS_NO_ADAPTER = knowsNone(
            String.join(" ", CORE),
            "cleave.master cleave.master.raft cleave.master.rpc cleave.master.dfs cleave.dfs.. "
                    + "cleave.runtime.rpc cleave.route..");

    @ArchTest
    static final ArchRule PACKAGES_ARE_FREE_OF_CYCLES =
            slices().matching("cleave.master.(*)..").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule ONLY_RAFT_KNOWS_RATIS = isKnownOnlyTo("org.apache.ratis..", "cleave.master.raft");

    @ArchTest
    static final ArchRule RAFT_AND_RPC_DO_NOT_KNOW_EACH_OTHER =
            knowsNone("cleave.master.raft", "cleave.master.rpc", "cleave.master");

    @ArchTest
    static final ArchRule RPC_DOES_NOT_KNOW_RAFT =
            knowsNone("cleave.master.rpc", "cleave.master.raft", "cleave.master");

    @ArchTest
    static final ArchRule ROLES_DO_NOT_KNOW_EACH_OTHER =
            nobodyKnows("cleave.server.. cleave.frontend.. cleave.deploy.. cleave.chaos..");

    @ArchTest
    static final ArchRule NOBODY_SYNCHRONIZES = Layers.nobodyWaitsOrSleeps();

    @ArchTest
    static void whatIsConfinedToALoopChecksIt(JavaClasses classes) throws IOException {
        assertThat(Confinement.unchecked(Path.of("../src/main/java"))).isEmpty();
    }
}
