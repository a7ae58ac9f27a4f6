package cleave.master.raft;

import cleave.master.raft.Silences.Report;
import cleave.master.raft.Silences.Sign;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.proto.RaftProtos.RoleInfoProto;
import org.apache.ratis.proto.RaftProtos.ServerRpcProto;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.util.Daemon;
import org.apache.ratis.util.TimeDuration;
import org.apache.ratis.util.TimeoutExecutor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives silent members new connections, for which their names are resolved again, and closes unused connections.
 * Confined to the timer of Ratis, except {@link #start} and {@link #stop}, which are thread-safe.
 *
 * <p>When a member is replaced and its old address drops packets, like that of a dead machine, TCP keeps the old
 * connection for about a quarter of an hour. Ratis waits as long, because it sets no keepalive. A leader judges each
 * follower; a member that knows no leader counts all others as silent, because it may need their votes.
 *
 * <p>A follower sends nothing, so it keeps no connections from the time when it led or requested votes. When it
 * requests votes again, for example because the leader transfers leadership to it, the others may have been replaced
 * long ago, and votes over old connections would not arrive in time.
 */
final class SilentMembers {
    private static final Logger LOG = LoggerFactory.getLogger(SilentMembers.class);

    private final RaftPart part;
    private final long silentMillis;
    /** When each silent member got its last connection or was first found silent. */
    private final Map<String, Long> since = new TreeMap<>();

    private final Silences silences;

    /** The last term in which it followed, and closed its connections. */
    private long followedTerm = -1;

    private volatile boolean stopped;

    /** @param silentMillis after this, and again each time, a silent member gets a new connection */
    SilentMembers(RaftPart part, long silentMillis) {
        this.part = part;
        this.silentMillis = silentMillis;
        this.silences = new Silences(silentMillis);
    }

    void start() {
        TimeoutExecutor.getInstance()
                .onTimeout(
                        TimeDuration.valueOf(silentMillis / 4, TimeUnit.MILLISECONDS),
                        this::look,
                        LOG,
                        () -> "silent members get no new connections any more");
    }

    void stop() {
        stopped = true;
    }

    private void look() {
        if (stopped) {
            return;
        }
        RoleInfoProto role = part.info().getRoleInfoProto();
        if (role.hasLeaderInfo()) {
            for (ServerRpcProto follower : role.getLeaderInfo().getFollowerInfoList()) {
                boolean silent = follower.getLastRpcElapsedTimeMs() >= silentMillis;
                judge(follower.getId().getId().toStringUtf8(), silent ? Sign.SILENT : Sign.ANSWERS);
            }
        } else {
            RaftPeerId leader = part.info().getLeaderId();
            String leading = leader == null ? null : leader.toString();
            long term = part.info().getCurrentTerm();
            boolean follows = leading != null && !leading.equals(part.member()); // It may have been elected meanwhile.
            boolean beginsToFollow = follows && term != followedTerm;
            for (String member : part.membersByName().keySet()) {
                if (!member.equals(part.member())) {
                    judge(member, Silences.ofOther(member, leading));
                    if (beginsToFollow) {
                        closeConnections(member);
                    }
                }
            }
            followedTerm = beginsToFollow ? term : followedTerm;
        }
        start();
    }

    /** Ratis measures the silence of a follower; this class measures how long no leader is known. */
    private void judge(String member, Sign sign) {
        long now = TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
        if (sign != Sign.SILENT) {
            since.remove(member);
            if (sign == Sign.NONE) {
                silences.forget(member);
            } else if (silences.answers(member) == Report.ANSWERS_AGAIN) {
                LOG.info("member is silent no more member={}", member);
            }
            return;
        }
        Long last = since.get(member);
        boolean isLeader = part.info().isLeader();
        if (last == null) {
            since.put(member, now);
        }
        if (last == null ? isLeader : now - last >= silentMillis) {
            since.put(member, now);
            report(member, now);
            closeConnections(member);
        }
    }

    /** Ratis opens new connections on demand. Closing the old ones takes it some seconds. */
    private void closeConnections(String member) {
        Daemon.newBuilder()
                .setName("reconnect-" + member)
                .setRunnable(() ->
                        part.server().getServerRpc().handleException(RaftPeerId.valueOf(member), new Exception(), true))
                .build()
                .start();
    }

    private void report(String member, long now) {
        switch (silences.silent(member, now)) {
            case SILENT ->
                LOG.info("member is silent and gets new connections member={} everyMillis={}", member, silentMillis);
            case STILL_SILENT ->
                LOG.info("member is still silent member={} seconds={}", member, silences.millis(member, now) / 1_000);
            case NOTHING, ANSWERS_AGAIN -> {}
        }
    }
}
