package cleave.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConfinementTest {
    private static final String CLAIM = "/** Counts. Confined to the\n * range's loop. */\n";
    private static final String CHECK = "void count() { loop.assertInside(); }\n";

    @Test
    void aClassThatClaimsConfinementAndKnowsItsLoopHasToCheckIt() {
        assertThat(Confinement.isUnchecked(CLAIM + "class Counter { EventLoop loop; }"))
                .isTrue();
        assertThat(Confinement.isUnchecked(CLAIM + "class Counter { void go() { with.loop().submit(this); } }"))
                .isTrue();
        assertThat(Confinement.isUnchecked(CLAIM + "class Counter { EventLoop loop; " + CHECK + "}"))
                .isFalse();
    }

    @Test
    void whatKnowsNoLoopIsCheckedByItsCallers() {
        assertThat(Confinement.isUnchecked(CLAIM + "class Counter { int count; }"))
                .isFalse();
    }

    @Test
    void confinementToSomethingElseIsNoClaim() {
        assertThat(Confinement.isUnchecked("/** Confined to one thread. */ class Counter { EventLoop loop; }"))
                .isFalse();
        assertThat(Confinement.isUnchecked("/** Thread-safe. */ class Counter { EventLoop loop; }"))
                .isFalse();
    }

    @Test
    void filesAreNamedByTheirPaths(@TempDir Path sources) throws IOException {
        Path folder = Files.createDirectories(sources.resolve("cleave/range"));
        Files.writeString(folder.resolve("Good.java"), CLAIM + "class Good { EventLoop loop; " + CHECK + "}");
        Files.writeString(folder.resolve("Bad.java"), CLAIM + "class Bad { EventLoop loop; }");

        assertThat(Confinement.unchecked(sources)).containsExactly("cleave/range/Bad.java");
    }
}
