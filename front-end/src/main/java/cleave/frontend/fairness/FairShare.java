package cleave.frontend.fairness;

import java.util.HashMap;
import java.util.Map;

/**
 * Shares a limited resource, slots or bytes, between accounts. Confined to its loop.
 *
 * <p>An account may take more while it holds less than {@value #HEADROOM} times the free amount. So a single account gets four fifths,
 * n busy accounts get 4/(4n + 1) each, and an account that holds nothing always finds a free amount: the accounts that hold most are refused
 * first. Only accounts that hold something are tracked.
 */
public final class FairShare {
    /** Stands for unauthenticated work. */
    public static final String NO_ACCOUNT = "";

    private static final long HEADROOM = 4;

    private final long max;
    private final Map<String, Long> held = new HashMap<>();
    private long taken;

    public FairShare(long max) {
        this.max = max;
    }

    /** True if no account may take more. */
    public boolean isFull() {
        return taken >= max;
    }

    /** True if an account may take more. */
    public boolean admits(String account) {
        return !isFull() && held.getOrDefault(account, 0L) / HEADROOM < max - taken;
    }

    public void take(String account, long amount) {
        if (amount > 0) {
            taken += amount;
            held.merge(account, amount, Long::sum);
        }
    }

    /** Returns an amount that was taken. */
    public void give(String account, long amount) {
        if (amount > 0) {
            taken -= amount;
            held.merge(account, -amount, (before, less) -> before + less == 0 ? null : Long.valueOf(before + less));
        }
    }

    public long taken() {
        return taken;
    }

    /** Accounts that hold something. */
    int accounts() {
        return held.size();
    }
}
