package cleave.frontend.odata;

import cleave.model.Key;

/** Writes the page of a query. Confined to the one who made it. */
public final class EntityListWriter {
    EntityListWriter() {}

    public void add(Key key, byte[] stored) {
        throw new UnsupportedOperationException();
    }

    /** Bytes written up to now, for pages bounded by size. */
    public int size() {
        throw new UnsupportedOperationException();
    }

    /** The whole body; nothing can be added afterwards. */
    public byte[] finish() {
        throw new UnsupportedOperationException();
    }
}
