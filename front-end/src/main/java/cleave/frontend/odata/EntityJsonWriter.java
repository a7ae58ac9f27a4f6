package cleave.frontend.odata;

import cleave.model.Key;

/** Writes stored entities as JSON. */
public final class EntityJsonWriter {
    private EntityJsonWriter() {}

    /** One entity: the answer to a point get or insert. */
    public static byte[] entity(JsonAnswer answer, Key key, byte[] stored) {
        throw new UnsupportedOperationException();
    }

    /** A page of a query, written entity by entity. */
    public static EntityListWriter list(JsonAnswer answer) {
        throw new UnsupportedOperationException();
    }
}
