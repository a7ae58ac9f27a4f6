package cleave.server.state;

import cleave.model.KeyRange;
import org.jspecify.annotations.Nullable;

/**
 * Walks over the entities of an interval as they were at one instant, in key order. Confined to one thread at a time.
 *
 * <p>Invariant I6: it sees a transaction whole or not at all, regardless of writes meanwhile.
 */
public interface EntityCursor extends AutoCloseable {
    /** True while it stands on an entity, or on an interval that it passes over. */
    boolean valid();

    /** The key it stands on, or the start of the interval; not to be changed. */
    byte[] key();

    /**
     * The interval that it passes over because entities there cannot be read; null if it stands on an entity. The starts of such intervals
     * ascend, and they may overlap. It still comes to those entities in them that can be read. Only a salvage passes over anything.
     */
    default @Nullable KeyRange unreadable() {
        return null;
    }

    /** The stored entity it stands on; not to be changed. */
    byte[] entity();

    void next();

    @Override
    void close();
}
