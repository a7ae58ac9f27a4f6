package cleave.server.state;

import cleave.model.Key;

/**
 * What a record of a commit log does to the store: results, never operations, so that applying it twice, or over a store that
 * already holds later ones which are applied again too, ends the same. Immutable; the arrays are not changed after construction.
 */
public sealed interface Effect {
    /** The table whose keys it touches. */
    long table();

    /** The entity is this now. */
    @SuppressWarnings("ArrayRecordComponent") // Never compared; copies would cost on every write.
    record Put(Key key, byte[] entity) implements Effect {
        @Override
        public long table() {
            return key.table();
        }
    }

    /** There is no such entity now. */
    record Delete(Key key) implements Effect {
        @Override
        public long table() {
            return key.table();
        }
    }

    /** No entity of this table is here now, nor ever will be. */
    record DropTable(long table) implements Effect {}
}
