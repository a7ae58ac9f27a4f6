package cleave.frontend.fairness;

/**
 * Keeps each account below a limit of entities a second at one front end. Thread-safe: its loops share it. Front ends do not know of
 * each other: through several of them an account can have as many times the limit.
 *
 * <p>A request costs one entity when it is let in, and when it is answered what it has written or examined beyond that. What
 * is refused for its partition's sake has cost one.
 */
public interface AccountThrottle {
    /** Admits every request. */
    AccountThrottle OFF = new AccountThrottle() {
        @Override
        public boolean admits(String account, long nowNanos) {
            return true;
        }

        @Override
        public void pay(String account, long entities, long nowNanos) {}
    };

    /** True if a request of this account is within the rate limit; it is then charged for one entity. */
    boolean admits(String account, long nowNanos);

    /** Charges an admitted request for the entities that it read and wrote. */
    void pay(String account, long entities, long nowNanos);
}
