package cleave.chaos.sim.dfs;

import cleave.chaos.sim.bugs.Bug;
import cleave.chaos.sim.world.SimMedium;
import cleave.chaos.sim.world.SimProcess;
import cleave.chaos.sim.world.World;
import cleave.dfs.Dfs;
import cleave.dfs.DfsContract;
import java.util.concurrent.CompletableFuture;

/** The DFS that simulated clusters run on keeps the contract: reached over the network, with syncs and seals that are slow. */
final class SimDfsContractTest extends DfsContract {
    private static final long TRUST_NANOS = 1_000_000_000;
    private static final long PATIENCE_NANOS = 3_600_000_000_000L;

    private final World world = new World(1, null);
    private final SimDfs medium = new SimDfs(world, Bug.NONE);

    SimDfsContractTest() {
        medium.inject(new SimMedium.FaultRates(0, 0, 0.01, 0.05, 0, 0.5));
        medium.forgetsFences(TRUST_NANOS);
    }

    @Override
    protected Dfs open() {
        medium.has(Dfs.Space.ROOMY);
        return openAnother();
    }

    @Override
    protected Dfs openAnother() {
        return medium.at(new SimProcess(world, "c"));
    }

    @Override
    protected Dfs openWith(Dfs.Space space) {
        medium.has(space);
        return openAnother();
    }

    @Override
    protected void stop() {}

    @Override
    protected void await(CompletableFuture<?> future) {
        world.runUntil(world.now() + PATIENCE_NANOS, future::isDone);
    }

    @Override
    protected void forgetDeleted(String path) {
        medium.files().forgetName(path);
    }

    @Override
    protected int looks() {
        return 64;
    }
}
