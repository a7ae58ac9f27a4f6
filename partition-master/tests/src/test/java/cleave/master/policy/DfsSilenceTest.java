package cleave.master.policy;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.master.state.Server;
import cleave.model.Incarnation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The limit is 10 s; a heartbeat comes each second, and counts for less than two. Times are in seconds. */
class DfsSilenceTest {
    private static final long SECOND = 1_000_000_000L;
    private static final int LIMIT = 10;

    private final DfsSilence silence = new DfsSilence(new DfsSilence.Timing(LIMIT * SECOND, 2 * SECOND));
    private final List<Server> live = new ArrayList<>();
    private final Set<Incarnation> owners = new TreeSet<>();
    private long now;

    private static Incarnation incarnation(int server, long number) {
        return new Incarnation("s" + server, number);
    }

    /** One heartbeat of each of the servers s1, s2 and so on, a second after the last ones. */
    private List<Incarnation> beat(int... silentSeconds) {
        now += SECOND;
        for (int i = 0; i < silentSeconds.length; i++) {
            silence.heard(live.get(i).incarnation(), silentSeconds[i] < 0 ? -1 : silentSeconds[i] * SECOND, now);
        }
        return judge();
    }

    private List<Incarnation> judge() {
        return silence.cutOff(live, owners::contains, now);
    }

    private void servers(int count) {
        for (int i = 1; i <= count; i++) {
            live.add(new Server(incarnation(i, 1), "h:" + i, false));
            owners.add(incarnation(i, 1));
        }
    }

    private void register(int server, long number) {
        live.set(server - 1, new Server(incarnation(server, number), "h:" + server, false));
    }

    private void drain(int server) {
        live.set(server - 1, new Server(incarnation(server, 1), "h:" + server, true));
    }

    private boolean isAside(int server) {
        return silence.problem(live.get(server - 1).incarnation()) != null;
    }

    /**
     * Of each server: {@code ok} the DFS answers it, {@code silent} it does not, {@code idle} the same and it owns nothing, {@code drains} it
     * is draining and answered, {@code old} it does not say.
     */
    @ParameterizedTest
    @CsvSource({
        "silent ok ok,           s1",
        "silent ok,              s1",
        "silent silent ok ok,    s1 s2",
        "silent drains ok,       s1",
        "silent,                 ''",
        "silent silent silent,   ''",
        "silent silent ok,       ''",
        "silent drains,          ''",
        "idle ok ok,             ''",
        "idle silent ok ok,      s2",
        "silent old old,         ''",
        "silent old ok ok,       s1",
        "ok ok ok,               ''",
        "old old,                ''",
    })
    void whoIsDeclaredDead(String states, String dead) {
        String[] each = states.split(" ");
        servers(each.length);
        for (int i = 0; i < each.length; i++) {
            if (each[i].equals("idle")) {
                owners.remove(incarnation(i + 1, 1));
            } else if (each[i].equals("drains")) {
                drain(i + 1);
            }
        }
        List<Incarnation> found = List.of();
        for (int second = 0; second <= LIMIT; second++) {
            assertThat(found).as("after %s s", second).isEmpty();
            int silent = second;
            found = beat(Arrays.stream(each)
                    .mapToInt(state -> switch (state) {
                        case "silent", "idle" -> silent;
                        case "old" -> -1;
                        default -> 0;
                    })
                    .toArray());
        }

        assertThat(String.join(" ", found.stream().map(Incarnation::server).toList()))
                .isEqualTo(dead);
    }

    @Test
    void whenTheDfsReturnsTheLastServerThatReachesItIsNotDeclaredDead() {
        servers(3);
        for (int second = 0; second < 60; second++) {
            assertThat(beat(second, second, second)).isEmpty();
        }
        for (int second = 60; second < 60 + LIMIT; second++) {
            assertThat(beat(second, 0, 0)).isEmpty();
        }
        assertThat(beat(0, 0, 0)).isEmpty();
    }

    @Test
    void onlyFreshReportsCount() {
        servers(3);
        for (int second = 0; second < LIMIT; second++) {
            beat(second, 0, 0);
        }
        now += 60 * SECOND; // The leader pauses.
        assertThat(judge()).isEmpty();
        for (int second = 70; second < 70 + LIMIT; second++) {
            assertThat(beat(second, 0, 0)).isEmpty();
        }
        assertThat(beat(80, 0, 0)).containsExactly(incarnation(1, 1));
    }

    @Test
    void aServerThatHasJustStartedDoesNotTestify() {
        servers(3);
        for (int second = 0; second < LIMIT; second++) {
            beat(second, 0, 0);
        }
        register(2, 2);
        for (int second = 10; second < 10 + LIMIT; second++) {
            assertThat(beat(second, 0, 0)).isEmpty();
        }
        assertThat(beat(20, 0, 0)).containsExactly(incarnation(1, 1));
    }

    @Test
    void aSilentServerGetsNoRangesAndOneThatWasDeclaredDeadForItNoneForAWhile() {
        servers(3);
        beat(4, 0, 0);
        assertThat(isAside(1)).isFalse();
        beat(5, 0, 0);
        assertThat(isAside(1)).isTrue();
        beat(0, 0, 0);
        assertThat(isAside(1)).isFalse();

        for (int second = 0; second <= LIMIT; second++) {
            beat(second, 0, 0);
        }
        register(1, 2);
        for (int second = 0; second < LIMIT; second++) {
            beat(0, 0, 0);
            assertThat(isAside(1)).as("answered for %s s", second).isTrue();
        }
        beat(0, 0, 0);
        assertThat(isAside(1)).isFalse();
        assertThat(isAside(2)).isFalse();
    }

    @Test
    void aNewLeaderBeginsAnew() {
        servers(2);
        for (int second = 0; second <= LIMIT; second++) {
            beat(second, 0);
        }
        silence.clear();
        assertThat(isAside(1)).isFalse();
        assertThat(beat(11, 0)).isEmpty();
        assertThat(isAside(1)).isTrue();
    }
}
