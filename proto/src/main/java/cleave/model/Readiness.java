package cleave.model;

/**
 * Whether a role can do its work now, and if not, what is missing. Immutable.
 *
 * @param missing for people; empty when ready
 */
public record Readiness(boolean ready, String missing) {
    public static final Readiness READY = new Readiness(true, "");

    public static Readiness missing(String what) {
        return new Readiness(false, what);
    }
}
