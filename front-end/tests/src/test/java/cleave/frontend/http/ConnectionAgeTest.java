package cleave.frontend.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** When connections that began together end. */
class ConnectionAgeTest {
    private static final long MAX = 1_000_000;

    @Test
    void agesAreSpreadEvenlyOverTheLastQuarterHoweverManyConnectionsThereAre() {
        for (int connections : new int[] {10, 100, 1_000}) {
            long[] tenths = LongStream.range(0, connections)
                    .map(number -> ClientConnections.age(MAX, number))
                    .peek(age -> assertThat(age).isBetween(MAX * 3 / 4, MAX))
                    .map(age -> Math.min(9, (MAX - age) / (MAX / 40)))
                    .toArray();
            for (int tenth = 0; tenth < 10; tenth++) {
                int expected = tenth;
                assertThat(LongStream.of(tenths)
                                .filter(each -> each == expected)
                                .count())
                        .as("of %d in the tenth %d", connections, tenth)
                        .isBetween(connections / 10L - 2, connections / 10L + 2);
            }
        }
    }

    @Test
    void withoutAGreatestAgeConnectionsDoNotAge() {
        assertThat(ClientConnections.age(0, 7)).isEqualTo(Long.MAX_VALUE);
    }
}
