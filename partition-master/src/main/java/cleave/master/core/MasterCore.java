package cleave.master.core;

import cleave.master.membership.ClusterFiles;
import cleave.master.membership.Founding;
import cleave.master.membership.GroupMembership;
import cleave.master.membership.Joining;
import cleave.master.membership.MasterCalls;
import cleave.master.membership.MasterGroup;
import cleave.master.membership.MemberWatch;
import cleave.master.membership.OwnMembership;
import cleave.master.metrics.MasterMetrics;
import cleave.master.replication.Replication;
import cleave.master.servers.RangeCalls;
import cleave.master.settings.MasterSelf;
import cleave.master.sweep.SweepFiles;
import cleave.model.ClusterId;
import cleave.model.Readiness;
import cleave.runtime.loop.EventLoop;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The core of a master: its loop, and its membership in a cluster. Thread-safe. This is the only place where these are
 * wired: the process, the simulator and the tests differ only in {@link Outside}.
 */
public final class MasterCore {
    private final MasterLoop master;
    private final OwnMembership membership;
    private final Founding founding;
    private final Joining joining;
    private final MemberWatch watch;

    /**
     * The interfaces of a master to the outside: adapters in a process, fakes in the simulator and in tests.
     *
     * @param ids supplies new cluster ids
     */
    public record Outside(
            Replication replication,
            MasterGroup group,
            RangeCalls ranges,
            MasterCalls masters,
            SweepFiles files,
            ClusterFiles cluster,
            Supplier<ClusterId> ids,
            MasterMetrics metrics) {}

    private MasterCore(EventLoop loop, MasterSelf self, Outside outside) {
        master = new MasterLoop(loop, self, outside);
        membership = new OwnMembership(loop, self, outside.group(), outside.cluster());
        founding = new Founding(loop, membership, outside.cluster(), outside.masters(), outside.ids());
        joining = new Joining(loop, membership, founding, outside.group(), outside.cluster(), outside.ids());
        watch = new MemberWatch(loop, outside.replication(), outside.group(), outside.masters(), membership);
    }

    public static MasterCore of(EventLoop loop, MasterSelf self, Outside outside) {
        return new MasterCore(loop, self, outside);
    }

    /**
     * Called once.
     *
     * @param found the membership in the folder; null if it belongs to no cluster. A member already takes part in its
     *     group
     */
    public void start(@Nullable GroupMembership found) {
        membership.start(found);
        master.start();
        watch.start();
    }

    /** Answers all waiting callers. */
    public void stop() {
        master.stop();
        membership.stop();
        watch.stop();
    }

    public MasterLoop master() {
        return master;
    }

    public OwnMembership membership() {
        return membership;
    }

    public Founding founding() {
        return founding;
    }

    public Joining joining() {
        return joining;
    }

    /** Ready once it is a member, knows a leader and takes part in what that leader replicates. */
    public Readiness readiness() {
        Readiness member = membership.readiness();
        return member.ready() ? master.readiness() : member;
    }
}
