package cleave.server.state;

import cleave.model.Key;
import cleave.wire.WriteKind;
import org.jspecify.annotations.Nullable;

/**
 * One operation of a write, checked as far as it can be without the stored data. Immutable; the array is not changed
 * after construction.
 *
 * @param entity well-formed; null for a delete
 * @param ifMatch timestamp that the stored entity must have; null: any
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared; copies would cost on every write.
public record WriteOp(
        WriteKind kind,
        Key key,
        byte @Nullable [] entity,
        @Nullable Long ifMatch) {}
