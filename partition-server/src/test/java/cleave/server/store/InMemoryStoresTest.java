package cleave.server.store;

import cleave.dfs.Dfs;
import cleave.dfs.memory.InMemoryDfs;
import cleave.server.outside.RangeStores;

/** The stores of the tests keep the contract. */
class InMemoryStoresTest extends RangeStoreContract {
    private final Dfs dfs = new InMemoryDfs();
    private final RangeStores stores = new InMemoryStores(dfs);

    @Override
    Dfs dfs() {
        return dfs;
    }

    @Override
    RangeStores stores() {
        return stores;
    }
}
