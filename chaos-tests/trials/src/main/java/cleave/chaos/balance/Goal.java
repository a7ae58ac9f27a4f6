package cleave.chaos.balance;

/**
 * A goal of a trial and the observed result. Immutable.
 *
 * @param what for people
 */
record Goal(String what, boolean met, String seen) {
    @Override
    public String toString() {
        return (met ? "met     " : "MISSED  ") + what + ": " + seen;
    }
}
