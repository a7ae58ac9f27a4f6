package cleave.server.range;

import cleave.model.Key;
import cleave.model.RequestId;
import cleave.server.outside.StoreException;
import cleave.wire.ErrorCode;
import cleave.wire.ReadReply;
import cleave.wire.ReadRequest;
import cleave.wire.Status;
import cleave.wire.StepKind;
import cleave.wire.Timing;
import com.google.protobuf.UnsafeByteOperations;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A point read: looks an entity up, and answers when a barrier sent after that has succeeded. */
final class Read extends PendingRequest {
    private static final ReadReply NO_ENTITY = ReadReply.newBuilder()
            .setStatus(Status.newBuilder().setCode(ErrorCode.NOT_FOUND).setMessage("no such entity"))
            .build();

    private final Key key;
    private final Consumer<ReadReply> reply;

    Read(RangeRequests to, ReadRequest request, Key key, Consumer<ReadReply> reply) {
        super(
                to,
                to.outside.metrics().ofReads,
                RequestId.of(request.getRequestHigh(), request.getRequestLow()),
                Steps.of(request.hasTrace(), request.getTrace(), StepKind.STEP_LOOK_UP),
                request.getAccount(),
                request.getSerializedSize(),
                request.getDeadlineMillis());
        this.key = key;
        this.reply = reply;
    }

    @Override
    @Nullable
    String excess() {
        return to.admission.charge(key, 1);
    }

    @Override
    void proceed(ErrorCode code) {
        super.proceed(to.waited(this, key, code));
    }

    @Override
    void execute() {
        byte[] entity;
        try {
            entity = to.store().get(key);
        } catch (StoreException failure) {
            refuse(to.failures.unreadable(failure));
            return;
        }
        int held = entity == null ? 0 : entity.length;
        to.admission.hold(account, held);
        asksDfs(to.outside.loop().nanos(), RequestId.NONE);
        to.confirmer().confirm(confirmed -> {
            to.admission.letGo(account, held);
            if (confirmed) {
                to.load.read(key, held);
                to.outside.metrics().reads.inc();
                answer(entity == null ? NO_ENTITY : found(entity));
            } else {
                refuse(ErrorCode.UNAVAILABLE);
            }
        });
    }

    private static ReadReply found(byte[] entity) {
        return ReadReply.newBuilder()
                .setStatus(Status.getDefaultInstance())
                .setEntity(UnsafeByteOperations.unsafeWrap(entity))
                .build();
    }

    @Override
    void refuse(ErrorCode code, String message) {
        answer(ReadReply.newBuilder().setStatus(to.status(code, message)).build());
    }

    private void answer(ReadReply end) {
        leave();
        Timing timing = timing(end.getStatus().getCode());
        reply.accept(timing != null || isWorthReporting() ? reporting(end, timing) : end);
        answered(end.getStatus().getCode());
    }

    private ReadReply reporting(ReadReply end, @Nullable Timing timing) {
        ReadReply.Builder reporting =
                end.toBuilder().setQueueMicros(queueMicros()).setDfsMicros(dfsMicros());
        return timing == null ? reporting.build() : reporting.setTiming(timing).build();
    }
}
