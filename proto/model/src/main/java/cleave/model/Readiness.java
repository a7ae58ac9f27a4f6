package cleave.model;

/**
 * Whether a role can do its work now, and if not, what is missing. Immutable.
 *
 * @param missing for people; empty when nothing is
 */
public record Readiness(boolean ready, String missing) {
    public static final Readiness READY = new Readiness(true, "");

    /** Ready, but only for part of its work. */
    public static Readiness but(String what) {
        return new Readiness(true, what);
    }

    public static Readiness missing(String what) {
        return new Readiness(false, what);
    }
}
