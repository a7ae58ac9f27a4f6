package cleave.chaos.sim;

import cleave.wire.ErrorCode;
import cleave.wire.LeaderClock;
import cleave.wire.RegisterReply;
import cleave.wire.RegisterRequest;
import cleave.wire.Status;
import org.jspecify.annotations.Nullable;

/**
 * A planted bug: a leader that has corrected its clock by those of servers goes by that correction until its term ends, although no
 * server is left that could show that the correction is outdated. It stands between the servers and the leader. Confined to the simulation.
 */
final class MutantClockVerdict {
    private static final long SKEW_TICKS = SimRoles.CLOCK_SKEW_NANOS / 100;

    private final SimRaft raft;
    private final Bug bug;
    private long term;
    /** What the leader of that term last subtracted from its own clock. */
    private long correctionTicks;

    MutantClockVerdict(SimRaft raft, Bug bug) {
        this.raft = raft;
        this.bug = bug;
    }

    /** The leader told a server this time. */
    void heard(LeaderClock told) {
        NodeClock own = raft.leaderClock();
        if (own != null) {
            term = raft.term();
            correctionTicks = own.ticks() - told.getTicks();
        }
    }

    /** How such a leader refuses a server; null if it does not. */
    @Nullable
    RegisterReply refusal(RegisterRequest request) {
        NodeClock own = raft.leaderClock();
        boolean noneConfirms = raft.audited().servers().isEmpty();
        if (bug != Bug.CLOCK_CORRECTION_KEPT || own == null || term != raft.term() || !noneConfirms) {
            return null;
        }
        long ahead = request.getClockTicks() - (own.ticks() - correctionTicks);
        return Math.abs(ahead) <= SKEW_TICKS
                ? null
                : RegisterReply.newBuilder()
                        .setStatus(
                                Status.newBuilder().setCode(ErrorCode.INVALID).setMessage("its clock is off"))
                        .build();
    }
}
