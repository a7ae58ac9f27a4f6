package cleave.dfs.policy;

/**
 * The two durations by which an engine that forgets the fences of deleted files keeps the contract nevertheless. Immutable.
 *
 * @param trustNanos how long a writer believes what the engine reports, since it last asked whether its file exists
 * @param retainNanos how long the engine remembers a fence, at least, after the file was deleted
 */
public record FenceTimes(long trustNanos, long retainNanos) {
    /** Correct as long as no two clocks' rates differ by a factor of 24 or more. */
    public static final FenceTimes DEFAULT = new FenceTimes(3_600_000_000_000L, 24 * 3_600_000_000_000L);

    public FenceTimes {
        if (trustNanos <= 0 || retainNanos / 2 < trustNanos) {
            throw new IllegalArgumentException("a fence must be remembered for at least twice as long as a name is"
                    + " believed, not " + retainNanos + " ns and " + trustNanos + " ns");
        }
    }
}
