package cleave.server.state;

import cleave.model.Key;

/**
 * The effect of a log record on the store: a result, never an operation. So applying it twice ends the same, and so does applying it to a
 * store that already holds later effects, if those are applied again, too. Immutable; the arrays are not changed after construction.
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
