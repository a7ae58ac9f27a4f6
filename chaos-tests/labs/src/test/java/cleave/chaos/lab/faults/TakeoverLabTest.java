package cleave.chaos.lab.faults;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.chaos.lab.faults.TakeoverLab.Taken;
import cleave.chaos.picture.KeySpace;
import cleave.chaos.picture.KeySpace.Dot;
import cleave.chaos.picture.KeySpace.Field;
import cleave.chaos.picture.KeySpace.Held;
import cleave.chaos.picture.KeySpace.Request;
import java.util.List;
import org.junit.jupiter.api.Test;

class TakeoverLabTest {
    private static Held held(String range, String from, String server) {
        return new Held(range, from, server, true);
    }

    /** Range 7 has the partitions p0 and p1. */
    @Test
    void rangesOfTheKilledServerAreNotServedFromTheKillUntilTheyAreTakenOver() {
        KeySpace keys = TakeoverLab.keys(
                "server-1",
                List.of(
                        held("7", "p0", "server-1"),
                        held("7", "p1", "server-1"),
                        held("8", "p2", "server-2"),
                        held("9", "p3", "server-1")),
                List.of(
                        held("7", "p0", "server-2"),
                        held("7", "p1", "server-2"),
                        held("8", "p2", "server-2"),
                        held("9", "p3", "server-3")),
                List.of(
                        new Taken("p0", 0.1, 0.2, 0.5, 0.6),
                        new Taken("p1", 0.1, 0.2, 0.5, 0.7),
                        new Taken("p3", 0.1, 0.2, 0.75, 1.1)),
                List.of(new Request(-9, "p0"), new Request(0.25, "p2"), new Request(0.6, "p1"), new Request(8, "p2")));

        assertThat(keys.fields())
                .containsExactly(
                        new Field("7", "server-1", true, 0, 1, -0.4, 0),
                        new Field("8", "server-2", true, 1, 2, -0.4, 1.5),
                        new Field("9", "server-1", true, 2, 3, -0.4, 0),
                        new Field("7", "server-1", false, 0, 1, 0, 0.5),
                        new Field("9", "server-1", false, 2, 3, 0, 0.75),
                        new Field("7", "server-2", true, 0, 1, 0.5, 1.5),
                        new Field("9", "server-3", true, 2, 3, 0.75, 1.5));
        assertThat(keys.dots()).extracting(Dot::x).containsExactly(0.25, 0.6);
        assertThat(keys.dots()).extracting(Dot::holder).containsOnly("server-2");
    }
}
