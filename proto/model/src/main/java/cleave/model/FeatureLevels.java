package cleave.model;

import cleave.wire.Levels;

/**
 * The feature levels that one process can run at, from the lowest to the highest. Immutable.
 *
 * <p>A cluster has one level, which the masters replicate. It decides which kinds of commands and formats may be written: those that every
 * process can read. A new kind of command or format belongs to a new level, or to the newest if that is not released yet, and is not
 * written before the cluster has reached it:
 *
 * <ul>
 *   <li>level 1: all that clusters wrote before they had levels
 *   <li>level 2: the level itself, in snapshots and registrations, and the command that raises it; the id of the cluster; the
 *       command that restores a backup
 *   <li>level 3: the id of the cluster's DFS in snapshots, and the command that sets it
 *   <li>level 4: small files of a checkpoint inside the manifest
 *   <li>level 5: checksums of a checkpoint's files in the manifest
 *   <li>level 6: fences of incarnations: the command that arms one, in snapshots, and in the commits of takeovers
 *   <li>level 7: what operators had the masters do: the commands that record it, and in snapshots
 * </ul>
 */
public record FeatureLevels(int min, int max) {
    /** The level of a cluster or process that does not state one. */
    public static final int FIRST = 1;

    /** The first level at which registrations and the state contain levels. */
    public static final int LEVELS = 2;

    /** The first level at which the state contains the id of the cluster's DFS. */
    public static final int DFS = 3;

    /** The first level at which manifests may contain small files of checkpoints. */
    public static final int INLINE_FILES = 4;

    /** The first level at which manifests contain the checksums of checkpoints' files. */
    public static final int FILE_CHECKSUMS = 5;

    /** The first level at which incarnations confirm reads by fences. */
    public static final int FENCES = 6;

    /** The first level at which the state contains what operators had the masters do. */
    public static final int ACTS = 7;

    /** The levels that this version supports. */
    public static final FeatureLevels SUPPORTED = new FeatureLevels(FIRST, ACTS);

    /** The levels of a process that does not state them. */
    public static final FeatureLevels UNTOLD = new FeatureLevels(FIRST, FIRST);

    public FeatureLevels {
        if (min < FIRST || max < min) {
            throw new IllegalArgumentException("feature levels " + min + " to " + max);
        }
    }

    public Levels toWire() {
        return Levels.newBuilder().setMin(min).setMax(max).build();
    }

    /** IllegalArgumentException if they are not a range of levels. */
    public static FeatureLevels fromWire(Levels wire) {
        return wire.getMax() == 0 ? UNTOLD : new FeatureLevels(wire.getMin(), wire.getMax());
    }

    public boolean contains(int level) {
        return level >= min && level <= max;
    }

    public boolean overlaps(FeatureLevels other) {
        return min <= other.max && other.min <= max;
    }

    /** Throws {@link UnknownFormat} unless this process supports the level of the data that was read. */
    public void check(String what, int level) {
        if (!contains(level)) {
            throw new UnknownFormat(what + " needs feature level " + level, this.toString());
        }
    }

    @Override
    public String toString() {
        return min == max ? "feature level " + min : "feature levels " + min + " to " + max;
    }
}
