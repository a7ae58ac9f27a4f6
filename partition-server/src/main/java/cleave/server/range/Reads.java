package cleave.server.range;

import cleave.model.Key;
import cleave.server.outside.RangeStore;
import cleave.server.outside.StoreException;
import cleave.wire.ErrorCode;
import cleave.wire.ReadReply;
import cleave.wire.Status;
import com.google.protobuf.UnsafeByteOperations;
import java.util.function.Consumer;
import java.util.function.ObjIntConsumer;

/**
 * The point reads of one range: an entity is looked up, and answered when a barrier sent after that has succeeded. Confined to the
 * range's loop, but for {@link #refusal}.
 */
public final class Reads {
    private static final ReadReply NO_ENTITY = ReadReply.newBuilder()
            .setStatus(Status.newBuilder().setCode(ErrorCode.NOT_FOUND).setMessage("no such entity"))
            .build();

    private final RangeContext with;
    private final RangeStore store;
    private final Confirmer confirmer;
    private final Admission admission;
    private final Consumer<StoreException> storeFailed;
    private final ObjIntConsumer<Key> done;

    /** @param done is told what was read, and its bytes */
    Reads(
            RangeContext with,
            RangeStore store,
            Confirmer confirmer,
            Admission admission,
            Consumer<StoreException> storeFailed,
            ObjIntConsumer<Key> done) {
        this.with = with;
        this.store = store;
        this.confirmer = confirmer;
        this.admission = admission;
        this.storeFailed = storeFailed;
        this.done = done;
    }

    void read(Key key, int account, Consumer<ReadReply> answer) {
        byte[] entity;
        try {
            entity = store.get(key);
        } catch (StoreException failure) {
            storeFailed.accept(failure);
            answer.accept(refusal(ErrorCode.UNAVAILABLE));
            return;
        }
        int held = entity == null ? 0 : entity.length;
        with.budget().take(account, held);
        confirmer.confirm(confirmed -> {
            with.budget().give(account, held);
            if (!confirmed) {
                answer.accept(refusal(ErrorCode.UNAVAILABLE));
                return;
            }
            done.accept(key, held);
            with.metrics().reads.inc();
            answer.accept(entity == null ? NO_ENTITY : found(entity));
        });
    }

    private static ReadReply found(byte[] entity) {
        return ReadReply.newBuilder()
                .setStatus(Status.getDefaultInstance())
                .setEntity(UnsafeByteOperations.unsafeWrap(entity))
                .build();
    }

    ReadReply refusal(ErrorCode code) {
        return ReadReply.newBuilder().setStatus(admission.refusal(code)).build();
    }
}
