package cleave.server.store;

import cleave.dfs.Dfs;
import cleave.dfs.memory.InMemoryDfs;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.manifest.Manifest;
import cleave.server.outside.RangeStore.StoredCheckpoint;
import cleave.server.outside.RangeStores;
import java.util.Random;

/** The stores of the tests keep the contract. */
class InMemoryStoresTest extends DamagedFilesContract {
    private final Dfs dfs = new InMemoryDfs();
    private final InMemoryStores stores = new InMemoryStores(asRead(dfs));

    @Override
    Dfs dfs() {
        return dfs;
    }

    @Override
    RangeStores stores() {
        return stores;
    }

    @Override
    void rot() {
        stores.rot(new Random(1), false);
    }

    @Override
    Manifest.Checkpoint damaged(StoredCheckpoint checkpoint) {
        stores.damagedKeys.add(Key.of(7, "p000050", "r"));
        return counting(KeyRange.ALL, checkpoint);
    }
}
