package cleave.dfs.node;

import cleave.dfs.Dfs.Space;
import cleave.dfs.DfsFile.Purpose;
import cleave.model.Invariant;

/**
 * The thresholds below which a disk is short of space. Immutable.
 *
 * <p>The space between the marks is reserved for what frees space: client writes under way get at most a quarter of it,
 * checkpoints at most three quarters. Half of the space below them is reserved for the manifests without which ranges are not
 * served, and the rest for the journal.
 *
 * @param low below it, only writes that help to free space are accepted; 0: space is not watched
 * @param full below it, bytes of files wait, so that the journal has space; what serves ranges waits below half of it
 */
public record SpaceMarks(long low, long full) {
    /** For a disk of this size. */
    public static final SpaceMarks NONE = new SpaceMarks(0, 0);

    private static final long LOW_MIN = 256L << 20;
    private static final long LOW_MAX = 4L << 30;
    private static final int PART_OF_DISK = 50;
    private static final int PART_OF_SMALL_DISK = 4;

    public SpaceMarks {
        Invariant.check(0 <= full && full <= low, "a disk is low below %s and full below %s", low, full);
    }

    /** @param reserve the low mark; 0: a fiftieth of the disk, from 256 MiB to 4 GiB, but no more than a quarter */
    public static SpaceMarks of(long reserve, long diskBytes) {
        long usual = Math.max(LOW_MIN, Math.min(LOW_MAX, diskBytes / PART_OF_DISK));
        long low = reserve > 0 ? reserve : Math.min(usual, diskBytes / PART_OF_SMALL_DISK);
        return new SpaceMarks(low, low / 2);
    }

    /** A state is left a little above the mark at which it was entered. */
    public Space judge(Space before, long free) {
        if (free < (before == Space.FULL ? full + full / 16 : full)) {
            return Space.FULL;
        }
        return free < (before == Space.ROOMY ? low : low + low / 8) ? Space.LOW : Space.ROOMY;
    }

    /** False if an append for this purpose is refused with this much free space. Those that may wait never are. */
    public boolean admits(Purpose purpose, long free) {
        long kept = low - full;
        return switch (purpose) {
            case ESSENTIAL, SERVING -> true;
            case CHECKPOINT -> free >= full + kept / 4;
            case WRITE -> free >= low - kept / 4;
        };
    }

    /** True if an append for this purpose waits for more space. All others are taken or refused. */
    public boolean delays(Purpose purpose, Space space, long free) {
        return space == Space.FULL
                && switch (purpose) {
                    case ESSENTIAL -> true;
                    case SERVING -> free < full / 2;
                    case CHECKPOINT, WRITE -> false;
                };
    }
}
