package cleave.server.range;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.model.AccountNumber;
import cleave.server.metrics.ServerMetrics;
import io.prometheus.client.CollectorRegistry;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class AccountSharesTest {
    private static final int MAX = 1_000;
    private static final int HEAVY = AccountNumber.of("heavy");
    private static final int LIGHT = AccountNumber.of("light");

    private final AccountShares shares =
            new AccountShares(MAX, 256, new ServerMetrics(new CollectorRegistry()).requestsInside);

    private int fill(int account) {
        int taken = 0;
        while (shares.admits(account)) {
            shares.take(account, 1);
            taken++;
        }
        return taken;
    }

    @Test
    void anAccountThatTakesAllItCanLeavesSomethingForOthers() {
        assertThat(fill(HEAVY)).isEqualTo(MAX * 4 / 5);
        assertThat(fill(LIGHT)).isBetween(MAX * 4 / 25 - 5, MAX * 4 / 25 + 5);
        assertThat(shares.admits(AccountNumber.NOBODY)).isTrue();
        shares.give(HEAVY, 200);
        assertThat(fill(LIGHT)).isPositive();
    }

    @Test
    void whatIsNobodysIsBoundedByTheWhole() {
        assertThat(fill(AccountNumber.NOBODY)).isEqualTo(MAX);
        assertThat(shares.admits(AccountNumber.NOBODY)).isFalse();
        assertThat(shares.admits(LIGHT)).isFalse();
    }

    @Test
    void namesBecomeNumbersThatAreSpread() {
        Set<Integer> numbers = new TreeSet<>();
        for (int i = 0; i < 10_000; i++) {
            numbers.add(AccountNumber.of("account" + i));
        }
        assertThat(numbers).hasSizeGreaterThan(9_990).doesNotContain(AccountNumber.NOBODY);
    }
}
