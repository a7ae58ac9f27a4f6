package cleave.chaos.sim.cluster;

import static cleave.chaos.sim.world.Intercepted.changed;

import cleave.chaos.sim.bugs.Bug;
import cleave.chaos.sim.bugs.Mutants;
import cleave.chaos.sim.world.Finding;
import cleave.chaos.sim.world.Intercepted;
import cleave.chaos.sim.world.SimProcess;
import cleave.dfs.Dfs;
import cleave.model.KeyRange;
import cleave.model.manifest.Manifest;
import cleave.server.outside.RangeStore;
import cleave.server.outside.RangeStores;
import cleave.server.outside.Space;
import cleave.server.outside.StoreException;
import cleave.server.state.EntityCursor;
import cleave.server.store.InMemoryStores;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** In-memory stores in place of RocksDB, on a disk that can be full and whose bits rot. */
final class SimStores implements RangeStores {
    /** The most entities that wait in memory; a script says itself when they go to a file. */
    private static final int FLUSHED_MAX = 16;

    private final SimProcess process;
    private final InMemoryStores stores;
    private final Mutants mutants;
    private final SimDisk disk;
    private final Random random;

    SimStores(SimProcess process, Dfs dfs, Mutants mutants, SimDisk disk) {
        this.process = process;
        this.stores = new InMemoryStores(dfs);
        this.mutants = mutants;
        this.disk = disk;
        this.random = process.world().newRandom();
        stores.verifies = !mutants.has(Bug.UPLOAD_NOT_VERIFIED);
        if (!process.world().isScripted()) {
            stores.flushEntities = 1 + random.nextInt(FLUSHED_MAX);
        }
        disk.holds(stores);
    }

    private StoreException noSpace(String what) {
        process.world().count("stores without space");
        return new StoreException(what, new IOException("no space left on device"));
    }

    @Override
    public Space space() {
        return disk.space();
    }

    @Override
    public CompletableFuture<RangeStore> open(
            KeyRange interval, List<Manifest.Checkpoint> checkpoints, LongConsumer fetched) {
        return stores.open(interval, mutants.opened(interval, checkpoints), fetched)
                .thenApply(store -> {
                    if (disk.isFull()) {
                        throw noSpace("a store cannot be opened");
                    }
                    judge(store);
                    return onDisk(mutants.store(store));
                });
    }

    /** In seeds nothing rots in the DFS itself, so nothing there is damaged unless it was uploaded so. */
    private void judge(RangeStore store) {
        if (!process.world().isScripted() && !store.damagedFiles().isEmpty()) {
            process.world()
                    .violation(
                            Finding.By.MAP,
                            process + " finds files damaged in the DFS, where nothing rots: " + store.damagedFiles());
        }
    }

    /** A store that notices when the disk is full, and is read as a whole now and then, as RocksDB's count the entities of small tables. */
    private RangeStore onDisk(RangeStore store) {
        Map<String, Function<Intercepted, @Nullable Object>> changes = Map.of(
                "apply",
                call -> {
                    if (disk.isFull() && random.nextInt(4) == 0) { // Most effects go to a write buffer.
                        throw noSpace("effects cannot be applied");
                    }
                    return call.go();
                },
                "checkpoint",
                call -> disk.isFull()
                        ? CompletableFuture.failedFuture(noSpace("a checkpoint cannot be made"))
                        : call.after(() -> process.world().count("checkpoints")),
                "size",
                call -> {
                    if (!process.world().isScripted() && random.nextInt(8) == 0) {
                        try (EntityCursor cursor = store.cursor(KeyRange.ALL)) {
                            while (cursor.valid()) {
                                cursor.next();
                            }
                        } catch (StoreException damage) {
                            return CompletableFuture.failedFuture(damage);
                        }
                    }
                    return call.go();
                });
        return changed(store, changes);
    }
}
