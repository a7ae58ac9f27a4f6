package cleave.frontend.fairness;

/**
 * Keeps each account below a limit of entities a second at one front end. Thread-safe: its loops share it. Front ends do not know of
 * each other: through several of them an account can have as many times the limit.
 *
 * <p>A request costs one entity when it is let in, and when it is answered what it has written or examined beyond that. What
 * is refused for its partition's sake has cost one.
 */
public interface AccountThrottle {
    /** Lets everyone in. */
    AccountThrottle OFF = new AccountThrottle() {
        @Override
        public boolean admits(String account, long nowNanos) {
            return true;
        }

        @Override
        public void pay(String account, long entities, long nowNanos) {}
    };

    /** True if a request of an account may enter; then it has paid for one entity. */
    boolean admits(String account, long nowNanos);

    /** A request that was let in has cost so many entities. */
    void pay(String account, long entities, long nowNanos);
}
