package cleave.server.range;

import cleave.model.FeatureLevels;

/**
 * The highest feature level of the cluster of which a master has informed this server. Thread-safe.
 *
 * <p>A cluster's level never decreases, so what it has once permitted it permits forever; what is known here may be too low for a while,
 * and is never too high.
 */
public final class ClusterLevel {
    private final FeatureLevels supported;
    private volatile int level = FeatureLevels.FIRST;

    /** @param supported by this process */
    public ClusterLevel(FeatureLevels supported) {
        this.supported = supported;
    }

    /**
     * Takes the level from a master; called by one thread. Throws {@link cleave.model.UnknownFormat}, which ends the process, if the cluster
     * may write what this server cannot read.
     *
     * @param cluster 0: the first level
     */
    public void heard(int cluster) {
        supported.check("the cluster", Math.max(FeatureLevels.FIRST, cluster));
        level = Math.max(level, cluster);
    }

    /** True if what belongs to this level may be written. */
    public boolean permits(int needed) {
        return level >= needed;
    }
}
