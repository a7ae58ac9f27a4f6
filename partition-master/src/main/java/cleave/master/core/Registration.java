package cleave.master.core;

import cleave.master.replication.Replication;
import cleave.master.servers.Clocks;
import cleave.master.state.MasterAnswer;
import cleave.master.state.MasterCommand.Register;
import cleave.master.state.MasterState;
import cleave.master.sweep.Vetting;
import cleave.model.FeatureLevels;
import cleave.model.Ticks;
import cleave.wire.ErrorCode;
import cleave.wire.RegisterRequest;
import java.util.concurrent.CompletableFuture;

/**
 * Admits servers to the cluster if they use its DFS, have a correct clock, and support its feature level. Thread-safe.
 */
public final class Registration {
    private final String self;
    private final long clockSkewTicks;
    private final Replication replication;
    private final Clocks clocks;
    private final Vetting vetting;

    /** @param clockSkewTicks a server whose clock differs by more from the leader's is refused */
    Registration(String self, long clockSkewTicks, Replication replication, Clocks clocks, Vetting vetting) {
        this.self = self;
        this.clockSkewTicks = clockSkewTicks;
        this.replication = replication;
        this.clocks = clocks;
        this.vetting = vetting;
    }

    /** IllegalArgumentException if its levels are not a range. */
    public CompletableFuture<MasterAnswer> register(RegisterRequest request) {
        String server = request.getServer();
        FeatureLevels supported = FeatureLevels.fromWire(request.getLevels());
        if (!request.getCluster().equals(replication.cluster())) {
            return CompletableFuture.completedFuture(otherCluster(server, request.getCluster()));
        }
        long ahead = clocks.ahead(request.getClockTicks());
        if (replication.leaderTerm() != 0 && Math.abs(ahead) > clockSkewTicks) {
            return refused("the clock of " + server + " is " + Math.abs(ahead) / Ticks.PER_MILLI + " ms "
                    + (ahead > 0 ? "ahead of" : "behind") + " that of the leader, " + self + "; the limit is "
                    + clockSkewTicks / Ticks.PER_MILLI + " ms");
        }
        MasterState state = replication.state();
        String problem = state.levelProblem(server, supported);
        if (problem != null) {
            return refused(problem);
        }
        String otherDfs = vetting.serverProblem(server, request.getDfs());
        if (otherDfs != null) {
            return refused(otherDfs);
        }
        boolean levelsInLog = state.level() >= FeatureLevels.LEVELS;
        return replication.propose(new Register(server, request.getAddress(), levelsInLog ? supported : null));
    }

    private static CompletableFuture<MasterAnswer> refused(String message) {
        return CompletableFuture.completedFuture(MasterAnswer.failed(ErrorCode.INVALID, message));
    }

    /** A master that is not a member yet sends the server to the others. */
    private MasterAnswer otherCluster(String server, String cluster) {
        String own = replication.cluster();
        return own.isEmpty()
                ? MasterAnswer.failed(ErrorCode.NOT_LEADER, replication.leaderAddress())
                : MasterAnswer.failed(
                        ErrorCode.INVALID,
                        "the DFS of server " + server + " keeps the files of "
                                + (cluster.isEmpty() ? "no cluster" : "cluster " + cluster)
                                + ", but these are the masters of cluster " + own
                                + ": correct setting dfs or masters of the server");
    }
}
