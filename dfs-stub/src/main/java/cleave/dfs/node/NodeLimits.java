package cleave.dfs.node;

import cleave.model.Invariant;

/**
 * How a node uses its disk. Immutable.
 *
 * @param segmentBytes the journal is freed in units of about this size
 * @param bulkBytes appends of this size or more are written to their extent's file only
 * @param groupBytes maximum size of a group
 * @param unwrittenBytes maximum of durable bytes that are not yet written to their extents' files; they are in memory
 *     and would grow without bound if files were slower than the journal
 * @param space limits of free space
 */
public record NodeLimits(long segmentBytes, int bulkBytes, int groupBytes, long unwrittenBytes, SpaceMarks space) {
    private static final int GROUP_BYTES = 1 << 20;
    private static final long UNWRITTEN_BYTES = 64L << 20;

    public NodeLimits(long segmentBytes, int bulkBytes) {
        this(segmentBytes, bulkBytes, SpaceMarks.NONE);
    }

    public NodeLimits(long segmentBytes, int bulkBytes, SpaceMarks space) {
        this(segmentBytes, bulkBytes, GROUP_BYTES, UNWRITTEN_BYTES, space);
    }

    public NodeLimits {
        Invariant.check(bulkBytes > 0 && bulkBytes <= groupBytes / 2, "large appends begin at %s bytes", bulkBytes);
        Invariant.check(segmentBytes >= bulkBytes, "segments of %s bytes", segmentBytes);
    }
}
