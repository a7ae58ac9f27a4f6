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

    private static void assertFound(long[] ends, long offset) {
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
        assertThat(looks).isLessThan(26);
    }
}
