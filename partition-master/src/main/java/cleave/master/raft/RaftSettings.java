package cleave.master.raft;

import cleave.master.settings.MasterConfig;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.RaftConfigKeys;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.grpc.GrpcConfigKeys;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.apache.ratis.util.SizeInBytes;
import org.apache.ratis.util.TimeDuration;

/** The configuration of Ratis. Stateless. */
final class RaftSettings {
    /** Maximum size of a command; a larger one is refused before it is proposed. */
    static final int COMMAND_BYTES_MAX = 1 << 20;
    /** Maximum number of proposals without an answer. */
    static final int PENDING_MAX = 4096;

    private static final SizeInBytes BUFFER = SizeInBytes.valueOf(2L * COMMAND_BYTES_MAX);
    private static final int SNAPSHOTS_KEPT = 3;
    /**
     * Retry pauses and their counts: a follower that returns, even after hours, waits for its leader no longer than the
     * last pause; one that was restarted, and so is back within the minute, no longer than 200 ms.
     */
    private static final String RETRY = "1ms,10, 200ms,300, 1s," + Integer.MAX_VALUE;

    private RaftSettings() {}

    /** @param alone the group has no other member */
    static RaftProperties of(MasterConfig config, boolean alone, String host, int port) {
        RaftProperties properties = new RaftProperties();
        RaftConfigKeys.Rpc.setType(properties, new RaftTransport());
        GrpcConfigKeys.Server.setHost(properties, host);
        GrpcConfigKeys.Server.setPort(properties, port);
        GrpcConfigKeys.setMessageSizeMax(properties, SizeInBytes.valueOf(16L * COMMAND_BYTES_MAX));
        Path dir = MemberFile.raft(config.dir());
        RaftServerConfigKeys.setStorageDir(properties, List.of(dir.toFile()));
        // A process continues after a long pause, because it has lost nothing.
        RaftServerConfigKeys.setCloseThreshold(properties, TimeDuration.valueOf(3650, TimeUnit.DAYS));
        timeouts(properties, config, alone);
        log(properties, config);
        snapshots(properties, config);
        return properties;
    }

    private static void timeouts(RaftProperties properties, MasterConfig config, boolean alone) {
        TimeDuration min = nanos(config.electionMinNanos());
        TimeDuration max = nanos(config.electionMaxNanos());
        RaftServerConfigKeys.Rpc.setTimeoutMin(properties, min);
        RaftServerConfigKeys.Rpc.setTimeoutMax(properties, max);
        RaftServerConfigKeys.Rpc.setRequestTimeout(properties, max);
        // A single member need not wait for others; several members start at about the same time.
        int share = alone ? 20 : 2;
        RaftServerConfigKeys.Rpc.setFirstElectionTimeoutMin(properties, nanos(config.electionMinNanos() / share));
        RaftServerConfigKeys.Rpc.setFirstElectionTimeoutMax(properties, nanos(config.electionMaxNanos() / share));
        RaftServerConfigKeys.RetryCache.setExpiryTime(properties, TimeDuration.valueOf(10, TimeUnit.SECONDS));
    }

    private static void log(RaftProperties properties, MasterConfig config) {
        RaftServerConfigKeys.Log.setLogMetadataEnabled(properties, false);
        RaftServerConfigKeys.Log.setSegmentSizeMax(properties, SizeInBytes.valueOf(config.segmentBytes()));
        RaftServerConfigKeys.Log.setPreallocatedSize(
                properties, SizeInBytes.valueOf(Math.min(config.segmentBytes(), 64 << 10)));
        RaftServerConfigKeys.Log.setWriteBufferSize(properties, SizeInBytes.valueOf(3L * COMMAND_BYTES_MAX));
        RaftServerConfigKeys.Log.setPurgeUptoSnapshotIndex(properties, true);
        RaftServerConfigKeys.Log.setPurgeGap(properties, 1);
        RaftServerConfigKeys.Log.Appender.setBufferByteLimit(properties, BUFFER);
        RaftServerConfigKeys.Log.Appender.setRetryPolicy(properties, RETRY);
        RaftServerConfigKeys.Log.Appender.setWaitTimeMin(properties, TimeDuration.ZERO);
        RaftServerConfigKeys.Log.Appender.setSnapshotChunkSizeMax(properties, BUFFER);
        RaftServerConfigKeys.Write.setElementLimit(properties, PENDING_MAX);
    }

    private static void snapshots(RaftProperties properties, MasterConfig config) {
        RaftServerConfigKeys.Snapshot.setAutoTriggerEnabled(properties, true);
        RaftServerConfigKeys.Snapshot.setAutoTriggerThreshold(properties, config.snapshotEvery());
        RaftServerConfigKeys.Snapshot.setCreationGap(properties, 1);
        RaftServerConfigKeys.Snapshot.setRetentionFileNum(properties, SNAPSHOTS_KEPT);
    }

    private static TimeDuration nanos(long nanos) {
        return TimeDuration.valueOf(nanos / 1_000_000, TimeUnit.MILLISECONDS);
    }
}
