package cleave.chaos.sim;

/** Something that must never be, and who noticed it. Immutable. */
public record Finding(By by, String what) {
    /** Who looks. All but the last look from outside, and know nothing of how the cores work. */
    public enum By {
        /** Histories of entities must be those of a store that does one thing at a time. */
        HISTORY,
        /** Pages of scans. */
        SCAN,
        /** The partition map, the files that it reaches, and those of other clusters. */
        MAP,
        /** Timestamps that clients were told. */
        TIMESTAMPS,
        /** Tables that are created, dropped and created again. */
        TABLE,
        /** Without faults everything is served again within a bound. */
        CONVERGENCE,
        /** A core itself, by throwing. */
        CORE
    }

    @Override
    public String toString() {
        return what;
    }
}
