package cleave.chaos.sim.faults;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.chaos.sim.world.World;
import java.util.List;
import org.junit.jupiter.api.Test;

class CutsTest {
    private static final long SECOND = 1_000_000_000L;

    private final World world = new World(1, null);
    private final Cuts cuts = new Cuts(world);

    private void runUntil(long seconds) {
        world.runUntil(seconds * SECOND, () -> false);
    }

    @Test
    void aConnectionThatIsCutTwiceHealsWhenBothCutsHaveEnded() {
        cuts.between("a", "b", false, SECOND);
        cuts.between("a", "b", true, 3 * SECOND);

        runUntil(2);
        assertThat(world.network().isBlocked("a", "b")).isTrue();
        assertThat(world.network().isBlocked("b", "a")).isFalse();

        runUntil(4);
        assertThat(world.network().isBlocked("a", "b")).isFalse();
    }

    @Test
    void nothingIsCutAfterTheHeal() {
        cuts.swizzle(List.of("a", "b", "c", "d", "e", "f", "g", "h"));
        cuts.heal();

        runUntil(3);

        assertThat(world.network().isBlocked("a", "b")).isFalse();
        assertThat(world.network().isBlocked("g", "h")).isFalse();
    }
}
