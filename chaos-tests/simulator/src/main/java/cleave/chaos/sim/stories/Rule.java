package cleave.chaos.sim.stories;

/** The invariants that scenarios are about. Immutable. */
public enum Rule {
    I1("the ranges of the map cover the key space without gap or overlap, at every version"),
    I2("for a key, at most one server's reads and writes can take effect at any moment"),
    I3("no write is acknowledged that a takeover could lose"),
    I4("after a range's epoch has grown, nothing done under an older epoch changes what readers see"),
    I6("a transaction is seen whole or not at all, by every request, through any fault"),
    I7("following continuation tokens yields every entity that was there throughout exactly once, in key order"),
    I8("timestamps of an entity rise, from the future by no more than the clocks' bounds, and so ETags never repeat"),
    I9("what the map reaches is never swept; what it can never reach again is"),
    CONVERGENCE("once everything is repaired, every key is served again, without a restart");

    private final String text;

    Rule(String text) {
        this.text = text;
    }

    @Override
    public String toString() {
        return name() + ", " + text;
    }
}
