package cleave.frontend.fairness;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FairShareTest {
    private static final int SLOTS = 1_000;

    private final FairShare slots = new FairShare(SLOTS);

    private int takeAll(String account) {
        int taken = 0;
        while (slots.admits(account)) {
            slots.take(account, 1);
            taken++;
        }
        return taken;
    }

    @Test
    void anAccountThatIsAloneGetsFourFifths() {
        assertThat(takeAll("heavy")).isEqualTo(SLOTS * 4 / 5);
        assertThat(slots.isFull()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"2", "3", "10"})
    void busyAccountsGetAsMuchAsEachOtherAndLeaveSomething(int accounts) {
        int[] taken = new int[accounts];
        for (int round = 0; round < SLOTS; round++) {
            for (int i = 0; i < accounts; i++) {
                if (slots.admits("a" + i)) {
                    slots.take("a" + i, 1);
                    taken[i]++;
                }
            }
        }
        for (int its : taken) {
            assertThat(its).isBetween(SLOTS * 4 / (4 * accounts + 1) - 4, SLOTS * 4 / (4 * accounts + 1) + 4);
        }
        assertThat(slots.admits("newcomer")).isTrue();
    }

    @Test
    void whoHoldsMoreThanItsShareIsRefusedUntilItHasGivenBack() {
        takeAll("heavy");
        assertThat(takeAll("light")).isPositive();

        assertThat(slots.admits("heavy")).isFalse();
        slots.give("heavy", SLOTS / 2);
        assertThat(slots.admits("heavy")).isTrue();
    }

    @Test
    void theLastSlotIsAnybodys() {
        FairShare one = new FairShare(1);
        assertThat(one.admits("a")).isTrue();
        one.take("a", 1);
        assertThat(one.isFull()).isTrue();
        assertThat(one.admits("b")).isFalse();
    }

    @Test
    void onlyAccountsThatHoldSomethingAreRemembered() {
        for (int i = 0; i < 100; i++) {
            slots.take("a" + i, 2);
            slots.give("a" + i, 2);
            slots.take("none", 0);
        }
        assertThat(slots.accounts()).isZero();
        assertThat(slots.taken()).isZero();
    }
}
