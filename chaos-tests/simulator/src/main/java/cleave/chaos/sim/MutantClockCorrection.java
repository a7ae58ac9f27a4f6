package cleave.chaos.sim;

import cleave.wire.ErrorCode;
import cleave.wire.LeaderClock;
import cleave.wire.RegisterReply;
import cleave.wire.RegisterRequest;
import cleave.wire.Status;
import org.jspecify.annotations.Nullable;

/**
 * A planted bug: a leader that has corrected its clock by those of servers keeps the correction until its term ends,
 * although no server is left to show that it is outdated. It is placed between servers and leader. Confined to the
 * simulation.
 */
final class MutantClockCorrection {
    private static final long SKEW_TICKS = SimRoles.CLOCK_SKEW_NANOS / 100;

    private final SimRaft raft;
    private final Bug bug;
    private long term;
    /** The last correction of that term's leader, subtracted from its own clock. */
    private long correctionTicks;

    MutantClockCorrection(SimRaft raft, Bug bug) {
        this.raft = raft;
        this.bug = bug;
    }

    /** Notes the time that the leader sent to a server. */
    void heard(LeaderClock told) {
        NodeClock own = raft.leaderClock();
        if (own != null) {
            term = raft.term();
            correctionTicks = own.ticks() - told.getTicks();
        }
    }

    /** The refusal that such a leader sends to a server; null if it accepts. */
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
