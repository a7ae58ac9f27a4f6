package cleave.server.range;

import cleave.model.Key;
import cleave.server.outside.RangeStore;
import cleave.server.outside.StoreException;
import cleave.server.policy.LoadMeter;
import cleave.wire.ErrorCode;
import cleave.wire.ReadReply;
import cleave.wire.Status;
import com.google.protobuf.UnsafeByteOperations;
import java.util.function.Consumer;

/**
 * The point reads of one range: an entity is looked up, and answered when a barrier sent after that has succeeded. Confined to the
 * range's loop.
 */
final class Reads {
    private static final ReadReply NO_ENTITY = ReadReply.newBuilder()
            .setStatus(Status.newBuilder().setCode(ErrorCode.NOT_FOUND).setMessage("no such entity"))
            .build();

    private final RangeContext with;
    private final RangeStore store;
    private final Confirmer confirmer;
    private final Admission admission;
    private final LoadMeter load;
    private final Range range;

    Reads(RangeContext with, RangeStore store, Confirmer confirmer, Admission admission, LoadMeter load, Range range) {
        this.with = with;
        this.store = store;
        this.confirmer = confirmer;
        this.admission = admission;
        this.load = load;
        this.range = range;
    }

    void read(Key key, int account, Consumer<ReadReply> answer) {
        byte[] entity;
        try {
            entity = store.get(key);
        } catch (StoreException failure) {
            range.storeFailed(failure);
            answer.accept(admission.readRefused(ErrorCode.UNAVAILABLE));
            return;
        }
        int held = entity == null ? 0 : entity.length;
        with.budget().take(account, held);
        confirmer.confirm(confirmed -> {
            with.budget().give(account, held);
            if (!confirmed) {
                answer.accept(admission.readRefused(ErrorCode.UNAVAILABLE));
                return;
            }
            load.read(key, held);
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
}
