package cleave.frontend.protocol.odata;

import cleave.model.entity.Entity;
import org.jspecify.annotations.Nullable;

/**
 * The body of a write. Immutable.
 *
 * @param partitionKey null if the body has none (legal where the address has it)
 * @param rowKey null if the body has none
 * @param entity its timestamp is 0, and it has no keys among its properties
 */
public record EntityBody(
        @Nullable String partitionKey, @Nullable String rowKey, Entity entity) {}
