package cleave.chaos.balance;

/**
 * Something that is to be so, and what was seen of it. Immutable.
 *
 * @param what for people
 */
record Goal(String what, boolean met, String seen) {
    @Override
    public String toString() {
        return (met ? "met     " : "MISSED  ") + what + ": " + seen;
    }
}
