package cleave.frontend.protocol.odata;

import cleave.model.entity.Entity;
import org.jspecify.annotations.Nullable;

/**
 * The body of a write. Immutable.
 *
 * @param partitionKey null if it is absent, which is legal if the address has it
 * @param rowKey null if it is absent
 * @param entity without keys among its properties; its timestamp is 0
 */
public record EntityBody(
        @Nullable String partitionKey, @Nullable String rowKey, Entity entity) {}
