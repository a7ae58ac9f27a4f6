package cleave.master.membership;

import cleave.master.replication.Replication;
import cleave.runtime.loop.EventLoop;
import cleave.wire.ErrorCode;
import cleave.wire.MasterPeer;
import cleave.wire.MembersReply;
import java.util.List;

/**
 * Finds out whether this member was removed, possibly while it was down. {@link #start} and {@link #stop} are thread-safe; all else
 * is confined to the master loop.
 *
 * <p>A removed member hears no leader any more, just like one that is cut off. So it asks the other masters, and believes only a
 * leader that has proved that it leads.
 */
public final class MemberWatch {
    private static final long LOOK_NANOS = 1_000_000_000;
    /** Usually longer than an election; asking too early costs only an answer. */
    private static final long SILENCE_NANOS = 5_000_000_000L;

    private final EventLoop loop;
    private final Replication replication;
    private final MasterGroup group;
    private final MasterCalls calls;
    private final OwnMembership own;
    private long heardNanos;
    private int asked;
    private boolean stopped;

    public MemberWatch(
            EventLoop loop, Replication replication, MasterGroup group, MasterCalls calls, OwnMembership own) {
        this.loop = loop;
        this.replication = replication;
        this.group = group;
        this.calls = calls;
        this.own = own;
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
        loop.assertInside();
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
        calls.members(others.get(asked), replication.cluster())
                .thenAccept(reply -> loop.submit(() -> hear(member, ended, reply)));
    }

    private void hear(String member, boolean ended, MembersReply reply) {
        if (stopped || reply.getStatus().getCode() != ErrorCode.OK) {
            return;
        }
        if (!reply.getMembersList().contains(member)) {
            own.removed(member);
        } else if (ended) {
            own.resume(member);
        }
    }
}
