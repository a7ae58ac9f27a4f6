package cleave.chaos.sim.world;

/** A violation, and the check that found it. Immutable. */
public record Finding(By by, String what) {
    /** The checks. All but the last observe from outside and do not depend on how the cores work. */
    public enum By {
        /** The history of the entities must be linearizable. */
        HISTORY,
        /** Scans must be answered, by pages that can be read. */
        SCAN,
        /** The partition map, the files that it references and the files of other clusters must be consistent. */
        MAP,
        /** Timestamps that clients received. */
        TIMESTAMPS,
        /** Tables that are created, dropped and created again. */
        TABLE,
        /** Once all faults are repaired, everything must be served again within a bound. */
        CONVERGENCE,
        /** A core itself, by throwing an exception. */
        CORE
    }

    @Override
    public String toString() {
        return what;
    }
}
