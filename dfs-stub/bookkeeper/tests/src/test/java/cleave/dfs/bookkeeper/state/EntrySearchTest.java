package cleave.dfs.bookkeeper.state;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

final class EntrySearchTest {
    /** Also among entries without bytes, and where one entry is most of the file. */
    @Test
    void everyOffsetIsFoundInAFewLooks() {
        for (int seed = 0; seed < 50; seed++) {
            Random random = new Random(seed);
            long[] ends = new long[1 + random.nextInt(3_000)];
            long end = 0;
            for (int i = 0; i < ends.length; i++) {
                int kind = random.nextInt(20);
                end += kind == 0 ? 0 : kind == 1 ? 1 << 20 : 1 + random.nextInt(100);
                ends[i] = end;
            }
            for (int i = 0; i < 50 && end > 0; i++) {
                assertFound(ends, Math.floorMod(random.nextLong(), end));
            }
        }
    }

    /** The entries are those of a log that was read for long: barriers, one entry with bytes, and barriers again. */
    @Test
    void amongMillionsOfEntriesWithoutBytesTheOneWithThemIsFoundInAFewLooks() {
        long[] ends = new long[3_000_000];
        for (int holder : new int[] {0, 1, 1_999_999, 2_999_998, 2_999_999}) {
            for (int i = 0; i < ends.length; i++) {
                ends[i] = i < holder ? 0 : 5;
            }
            assertFound(ends, 0, 2 * 22);
            assertFound(ends, 4, 2 * 22);
        }
    }

    private static void assertFound(long[] ends, long offset) {
        assertFound(ends, offset, 25);
    }

    private static void assertFound(long[] ends, long offset, int looksMax) {
        EntrySearch search = new EntrySearch(0, 0, ends.length - 1, ends[ends.length - 1]);
        int looks = 0;
        while (!search.isOver()) {
            int guess = (int) search.guess(offset, looks);
            long start = guess == 0 ? 0 : ends[guess - 1];
            search = search.narrowed(guess, start, ends[guess], offset);
            looks++;
        }
        int found = (int) search.low();
        assertThat(found == 0 ? 0 : ends[found - 1]).isLessThanOrEqualTo(offset);
        assertThat(ends[found]).isGreaterThan(offset);
        assertThat(looks).isLessThanOrEqualTo(looksMax);
    }
}
