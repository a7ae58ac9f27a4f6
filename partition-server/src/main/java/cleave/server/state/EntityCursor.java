package cleave.server.state;

/**
 * Walks over the entities of an interval as they were at one instant, in key order. Confined to one thread at a time.
 *
 * <p>Invariant I6: it sees a transaction whole or not at all, whatever is written meanwhile.
 */
public interface EntityCursor extends AutoCloseable {
    /** True while it stands on an entity. */
    boolean valid();

    /** The key it stands on; not to be changed. */
    byte[] key();

    /** The stored entity it stands on; not to be changed. */
    byte[] entity();

    void next();

    @Override
    void close();
}
