package cleave.frontend.policy;

import cleave.frontend.odata.Body;
import cleave.frontend.odata.Headers;
import cleave.frontend.odata.Resource;
import cleave.model.Entity;
import cleave.wire.WriteKind;
import org.jspecify.annotations.Nullable;

/**
 * A write of one entity, fully read and checked. Immutable.
 *
 * @param kind follows from method and If-Match
 * @param table its name as in the address
 * @param entity without properties for a delete
 * @param ifMatch ticks of the expected timestamp; null: no condition beyond that of the kind
 */
public record EntityWrite(
        WriteKind kind, String table, String partitionKey, String rowKey, Entity entity, @Nullable Long ifMatch) {
    /**
     * The write that a request means: POST on an entity set is an insert, PUT, MERGE and DELETE have an entity's address. With
     * any other method it refuses with MethodNotAllowed.
     */
    public static EntityWrite of(Method method, Resource resource, Headers headers, Body body) {
        throw new UnsupportedOperationException();
    }
}
