package cleave.board.sight;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class NamesDueTest {
    private final NamesDue due = new NamesDue();

    private static SortedSet<Long> tables(Long... ids) {
        return new TreeSet<>(List.of(ids));
    }

    @Test
    void theFirstAnswerIsAskedForNamesAndTheNextInTenMinutes() {
        assertThat(due.isDue(1000)).isTrue();
        due.asked(1000);
        due.see(tables());

        assertThat(due.isDue(500_000)).isFalse();
        assertThat(due.isDue(601_000)).isTrue();
    }

    @Test
    void aTableWithoutANameIsAskedForLessAndLess() {
        due.asked(0);
        due.see(tables(3L));
        assertThat(due.isDue(2000)).isTrue();
        due.asked(2000);
        due.see(tables(3L));

        assertThat(due.isDue(5000)).isFalse();
        assertThat(due.isDue(6000)).isTrue();
    }

    @Test
    void anotherTableIsAskedForSoon() {
        for (int i = 0; i < 20; i++) {
            due.asked(0);
            due.see(tables(3L));
        }
        assertThat(due.isDue(300_000)).isFalse();

        due.see(tables(3L, 4L));

        assertThat(due.isDue(2000)).isTrue();
    }
}
