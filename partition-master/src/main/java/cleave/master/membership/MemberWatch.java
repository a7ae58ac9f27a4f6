package cleave.master.membership;

import cleave.master.replication.Replication;
import cleave.runtime.loop.EventLoop;
import cleave.wire.ErrorCode;
import cleave.wire.MasterPeer;
import cleave.wire.MembersReply;
import java.util.List;

/**
 * How a member finds out that it was removed, also while it was down. Confined to the master loop.
 *
 * <p>A member that was removed hears no leader any more, as one that is cut off does. So it asks the others, and believes none but
 * a leader that has proved that it leads.
 */
public final class MemberWatch {
    private static final long LOOK_NANOS = 1_000_000_000;
    /** Longer than elections take, as a rule; to ask too early costs an answer. */
    private static final long SILENCE_NANOS = 5_000_000_000L;

    private final EventLoop loop;
    private final Replication replication;
    private final MasterGroup group;
    private final MemberQueries queries;
    private final Founding founding;
    private long heardNanos;
    private int asked;
    private boolean stopped;

    public MemberWatch(
            EventLoop loop, Replication replication, MasterGroup group, MemberQueries queries, Founding founding) {
        this.loop = loop;
        this.replication = replication;
        this.group = group;
        this.queries = queries;
        this.founding = founding;
    }

    public void start() {
        loop.submit(() -> {
            heardNanos = loop.nanos();
            look();
        });
    }

    public void stop() {
        loop.submit(() -> stopped = true);
    }

    private void look() {
        if (stopped) {
            return;
        }
        String member = replication.self();
        boolean ended = group.hasEnded();
        if (member.isEmpty() || (!ended && !replication.leaderAddress().isEmpty())) {
            heardNanos = loop.nanos();
        } else if (ended || loop.nanos() - heardNanos > SILENCE_NANOS) {
            ask(member, ended);
        }
        loop.schedule(LOOK_NANOS, this::look);
    }

    private void ask(String member, boolean ended) {
        List<String> others = replication.peers().stream()
                .filter(peer -> !peer.getMember().equals(member))
                .map(MasterPeer::getAddress)
                .filter(address -> !address.isEmpty())
                .toList();
        if (others.isEmpty()) {
            return;
        }
        asked = (asked + 1) % others.size();
        queries.members(others.get(asked), replication.cluster())
                .thenAccept(reply -> loop.submit(() -> hear(member, ended, reply)));
    }

    private void hear(String member, boolean ended, MembersReply reply) {
        if (stopped || reply.getStatus().getCode() != ErrorCode.OK) {
            return;
        }
        if (!reply.getMembersList().contains(member)) {
            founding.removed(member);
        } else if (ended) {
            founding.resume(member);
        }
    }
}
