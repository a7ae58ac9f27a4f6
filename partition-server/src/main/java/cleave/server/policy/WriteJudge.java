package cleave.server.policy;

import cleave.model.Invariant;
import cleave.model.Key;
import cleave.model.Limits;
import cleave.model.entity.EntityCodec;
import cleave.server.state.Effect;
import cleave.server.state.LogRecordBuilder;
import cleave.server.state.WriteOp;
import cleave.wire.ErrorCode;
import cleave.wire.WriteKind;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Judges the writes of one range against stored data and writes in flight: every condition of every operation, all or
 * nothing. Confined to the range's loop, because it assigns the timestamps.
 *
 * <p>Invariant I6: a refused operation refuses the whole write, and leaves nothing behind but spent timestamps.
 *
 * <p>Invariant I8: timestamps increase strictly, above all that the range and its predecessors ever assigned, regardless of the clock;
 * the ETag is made from the timestamp.
 */
public final class WriteJudge {
    /** The most that one write may add to a record, so that it fits into one together with what was gathered before. */
    public static final int WRITE_BYTES_MAX = LogRecordBuilder.RECORD_BYTES_MAX - (2 << 20);

    private long highestTimestamp;

    /** No timestamp at or below {@code highestTimestamp} is given. */
    public WriteJudge(long highestTimestamp) {
        this.highestTimestamp = highestTimestamp;
    }

    /** The highest ever given. */
    public long highestTimestamp() {
        return highestTimestamp;
    }

    /** The time, or just above the last one if time is not beyond it. */
    private long nextTimestamp(long nowTicks) {
        highestTimestamp = Math.max(nowTicks, highestTimestamp + 1);
        return highestTimestamp;
    }

    /** The entities as they will be when all that was accepted before is applied. */
    public interface Entities {
        byte @Nullable [] get(Key key);
    }

    public Judgement judge(List<WriteOp> operations, Entities entities, long nowTicks) {
        List<Effect> effects = new ArrayList<>(operations.size());
        List<Long> given = new ArrayList<>(operations.size());
        long bytes = 0;
        for (int i = 0; i < operations.size(); i++) {
            WriteOp operation = operations.get(i);
            byte[] stored = dependsOnStored(operation) ? stored(operation.key(), effects, entities) : null;
            Judgement refusal = refusal(operation, stored, i);
            if (refusal != null) {
                return refusal;
            }
            if (operation.kind() == WriteKind.DELETE) {
                effects.add(new Effect.Delete(operation.key()));
                given.add(0L);
            } else {
                byte[] entity = result(operation, stored);
                refusal = tooLarge(operation.key(), entity, i);
                if (refusal != null) {
                    return refusal;
                }
                long timestamp = nextTimestamp(nowTicks);
                EntityCodec.stampTimestamp(entity, timestamp);
                effects.add(new Effect.Put(operation.key(), entity));
                given.add(timestamp);
            }
            bytes += LogRecordBuilder.bytesOf(effects.get(i));
            if (bytes > WRITE_BYTES_MAX) {
                return Judgement.refused(
                        ErrorCode.ENTITY_TOO_LARGE,
                        i,
                        "the entities of one write exceed " + WRITE_BYTES_MAX + " bytes");
            }
        }
        return Judgement.executed(effects, given);
    }

    /**
     * The present state for an operation: the result of an earlier one of the same write, or else the stored entity.
     */
    private static byte @Nullable [] stored(Key key, List<Effect> earlier, Entities entities) {
        for (int i = earlier.size() - 1; i >= 0; i--) {
            Effect effect = earlier.get(i);
            if (effect instanceof Effect.Put put && put.key().equals(key)) {
                return put.entity();
            }
            if (effect instanceof Effect.Delete delete && delete.key().equals(key)) {
                return null;
            }
        }
        return entities.get(key);
    }

    private static @Nullable Judgement refusal(WriteOp operation, byte @Nullable [] stored, int index) {
        if (stored == null) {
            return needsStored(operation) ? Judgement.refused(ErrorCode.NOT_FOUND, index, "no such entity") : null;
        }
        if (operation.kind() == WriteKind.INSERT) {
            return Judgement.refused(ErrorCode.ALREADY_EXISTS, index, "the entity exists");
        }
        Long ifMatch = operation.ifMatch();
        if (ifMatch != null && ifMatch != EntityCodec.timestamp(stored)) {
            return Judgement.refused(
                    ErrorCode.CONDITION_FAILED,
                    index,
                    "the entity has timestamp " + EntityCodec.timestamp(stored) + ", not " + ifMatch);
        }
        return null;
    }

    /** False for an unconditional replacement: it need not read the stored entity, which may even be impossible. */
    private static boolean dependsOnStored(WriteOp operation) {
        return operation.kind() != WriteKind.INSERT_OR_REPLACE || operation.ifMatch() != null;
    }

    private static boolean needsStored(WriteOp operation) {
        return switch (operation.kind()) {
            case INSERT -> false;
            case INSERT_OR_REPLACE, INSERT_OR_MERGE -> operation.ifMatch() != null;
            case REPLACE, MERGE, DELETE, UNRECOGNIZED -> true;
        };
    }

    /** The resulting entity, in an array of its own. */
    private static byte[] result(WriteOp operation, byte @Nullable [] stored) {
        byte[] given = operation.entity();
        if (given == null) {
            throw new AssertionError("no entity in " + operation.kind());
        }
        boolean merges = operation.kind() == WriteKind.MERGE || operation.kind() == WriteKind.INSERT_OR_MERGE;
        return merges && stored != null ? EntityCodec.merge(stored, given) : given.clone();
    }

    private static @Nullable Judgement tooLarge(Key key, byte[] entity, int index) {
        Invariant.check(entity.length > 0, "an entity without bytes at %s", key);
        int size = EntityCodec.size(key, entity);
        if (size > Limits.ENTITY_BYTES_MAX) {
            return Judgement.refused(ErrorCode.ENTITY_TOO_LARGE, index, "the entity has " + size + " bytes");
        }
        int properties = EntityCodec.propertyCount(entity);
        if (properties > Limits.PROPERTIES_MAX) {
            return Judgement.refused(
                    ErrorCode.TOO_MANY_PROPERTIES, index, "the entity has " + properties + " properties");
        }
        return null;
    }
}
