package cleave.frontend.fairness;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class UnsignedBytesTest {
    private static final long MAX = 100_000;

    private final UnsignedBytes<String> bytes = new UnsignedBytes<>(MAX);

    private List<String> shed() {
        List<String> gone = new ArrayList<>();
        for (String next = bytes.excess(); next != null; next = bytes.excess()) {
            bytes.holds(next, 0);
            gone.add(next);
        }
        return gone;
    }

    @Test
    void nobodyGoesWhileThereIsRoom() {
        bytes.holds("a", MAX);
        assertThat(bytes.excess()).isNull();
        bytes.holds("a", MAX + 1);
        assertThat(shed()).containsExactly("a");
        assertThat(bytes.total()).isZero();
    }

    @Test
    void whoHoldsMostGoesAndOfEqualsTheOneThatHasHeldLongest() {
        bytes.holds("small", 500);
        bytes.holds("first", 40_000);
        bytes.holds("second", 40_000);
        bytes.holds("third", 40_000);

        assertThat(shed()).containsExactly("first");
        bytes.holds("small", 60_000);
        assertThat(shed()).containsExactly("second");
    }

    @Test
    void whoHoldsLessThanHalfOfAnEvenShareNeverGoes() {
        Random random = new Random(7);
        int peers = 100;
        long share = MAX / peers;
        for (int i = 0; i < 100_000; i++) {
            int peer = random.nextInt(peers);
            bytes.holds("p" + peer, peer < 10 ? random.nextLong(share / 2) : random.nextLong(20 * share));
            for (String gone : shed()) {
                assertThat(Integer.parseInt(gone.substring(1))).isGreaterThanOrEqualTo(10);
            }
            assertThat(bytes.total()).isLessThanOrEqualTo(MAX);
        }
    }
}
