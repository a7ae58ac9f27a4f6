package cleave.dfs;

/**
 * How long one append took where its bytes are stored, if the implementation knows. Written before the append's future completes; to be read
 * after that.
 */
public final class AppendTimes {
    private int queueMicros;
    private int syncMicros;

    /** Notes how long the append waited for the disk, and how long the disk took to have it durable. */
    public void stored(int inQueueMicros, int toSyncMicros) {
        queueMicros = inQueueMicros;
        syncMicros = toSyncMicros;
    }

    /** Microseconds from its arrival until the disk got it; 0 if it is not known. */
    public int queueMicros() {
        return queueMicros;
    }

    /** Microseconds from then until it was durable; 0 if it is not known. */
    public int syncMicros() {
        return syncMicros;
    }
}
