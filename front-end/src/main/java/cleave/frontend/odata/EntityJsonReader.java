package cleave.frontend.odata;

/** Reads the JSON bodies of entity writes, checking all limits. */
public final class EntityJsonReader {
    private EntityJsonReader() {}

    /** The body of an insert: both keys are in it. */
    public static EntityBody readInsert(Body body) {
        throw new UnsupportedOperationException();
    }

    /**
     * The body of an update or merge at an address: keys in it are optional and must be those of the address; an empty body is
     * an entity without properties. The keys returned are those of the address.
     */
    public static EntityBody readUpdate(Body body, Resource.EntityAddress address) {
        throw new UnsupportedOperationException();
    }
}
