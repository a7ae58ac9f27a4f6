package cleave;

import static cleave.architecture.Layers.knowsNone;
import static cleave.architecture.Layers.knowsOnly;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
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
import java.util.List;

@AnalyzeClasses(packages = "cleave", importOptions = Product.class)
final class LayeringTest {
    private static final String[] VALUES = {
        "cleave.model..",
        "cleave.wire",
        "java.lang..",
        "java.util",
        "java.util.function",
        "java.util.stream",
        "java.util.regex",
        "java.time",
        "java.nio",
        "java.nio.charset",
        "java.util.zip",
        "org.jspecify.annotations",
        "org.pcollections",
        "com.google.protobuf",
        "com.google.common.base",
        "java.io"
    };

    /** The values depend on nothing that acts. */
    @ArchTest
    static final ArchRule MODEL_IS_VALUES = knowsOnly("cleave.model..", VALUES);

    @ArchTest
    static final ArchRule NOTHING_GOES_IN_CIRCLES =
            slices().matching("cleave.(**)").should().beFreeOfCycles();

    @ArchTest
    static void whatIsConfinedToALoopChecksIt(JavaClasses classes) throws IOException {
        for (String module : List.of("model", "runtime", "route")) {
            assertThat(Confinement.unchecked(Path.of("..", module, "src/main/java")))
                    .isEmpty();
        }
    }

    /** The range client knows the network and the clock by its own interfaces only. */
    @ArchTest
    static final ArchRule THE_MODEL_AND_ROUTES_ARE_PURE =
            PureCore.ofSilent("cleave.model..", "cleave.registry", "cleave.route");

    @ArchTest
    static final ArchRule LOOP_AND_SETTINGS_ARE_ALONE = knowsNone(
            "cleave.runtime.loop cleave.runtime.settings",
            "cleave.route.. cleave.runtime.rpc cleave.wire io.grpc.. io.netty..");

    @ArchTest
    static final ArchRule RPC_KNOWS_NO_ROUTES = knowsNone("cleave.runtime.rpc", "cleave.route..", "cleave.wire");

    /** No role is known here: they meet in this module. */
    @ArchTest
    static final ArchRule NO_ROLE_IS_KNOWN =
            knowsNone("cleave..", "cleave.master.. cleave.server.. cleave.frontend.. cleave.dfs.. cleave.deploy..");
}
