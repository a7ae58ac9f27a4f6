package cleave.model;

import java.util.Locale;

/**
 * Checks of claims that only a bug can make false. They are on in production: the loop's fault handler reports the
 * {@link Violation} and halts the process rather than let it act on an inconsistent state.
 */
public final class Invariant {
    private Invariant() {}

    /** A bug. */
    public static final class Violation extends AssertionError {
        private static final long serialVersionUID = 1;

        Violation(String message) {
            super(message);
        }
    }

    /** Checks a claim; the message, as in {@link String#format}, carries the values. */
    public static void check(boolean claim, String message, @org.jspecify.annotations.Nullable Object... values) {
        if (!claim) {
            throw new Violation(String.format(Locale.ROOT, message, values));
        }
    }
}
