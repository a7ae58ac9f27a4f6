package cleave.server.metrics;

/**
 * The figures of all stores of a server together. Immutable.
 *
 * @param stores that are open
 * @param blockCacheBytes of which the memtables are a part
 * @param fileBytes of their files on the disk
 * @param keys an estimate: entities, with those that were deleted or lie outside of the ranges and are not compacted away yet
 * @param pendingCompactionBytes that compactions have yet to rewrite
 * @param stalled stores that take no writes until they have flushed or compacted
 * @param diskBytes of the disk that they are on
 * @param cachedBytes of files of checkpoints that no store has, and that are kept for one that comes back
 * @param scansWaiting for a thread
 */
public record StoreFigures(
        int stores,
        long blockCacheBytes,
        long blockCacheLimitBytes,
        long memtableBytes,
        long memtableLimitBytes,
        long fileBytes,
        long keys,
        long pendingCompactionBytes,
        long flushes,
        long compactions,
        int stalled,
        long diskBytes,
        long cachedBytes,
        int scansWaiting) {
    /** The figures of no stores. */
    public static final StoreFigures NONE = new StoreFigures(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
}
