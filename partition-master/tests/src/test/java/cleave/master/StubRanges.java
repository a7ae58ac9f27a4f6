package cleave.master;

import cleave.model.Key;
import cleave.model.entity.Entity;
import cleave.model.entity.EntityCodec;
import cleave.model.table.Registry;
import cleave.wire.DropReply;
import cleave.wire.DropRequest;
import cleave.wire.ErrorCode;
import cleave.wire.HandoffOrder;
import cleave.wire.HandoffOutcome;
import cleave.wire.RangesGrpc.RangesImplBase;
import cleave.wire.ReadReply;
import cleave.wire.ReadRequest;
import cleave.wire.Status;
import cleave.wire.WriteKind;
import cleave.wire.WriteOperation;
import cleave.wire.WriteReply;
import cleave.wire.WriteRequest;
import com.google.protobuf.ByteString;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

/** A partition server that owns the whole key space: keeps the registry in memory, and notes what it is asked. Thread-safe. */
final class StubRanges extends RangesImplBase {
    private final Map<Key, byte[]> entities = new ConcurrentSkipListMap<>();
    private final List<Long> dropped = new CopyOnWriteArrayList<>();
    private final List<HandoffOrder> handoffs = new CopyOnWriteArrayList<>();
    private volatile Function<HandoffOrder, CompletableFuture<ErrorCode>> carrier =
            order -> CompletableFuture.completedFuture(ErrorCode.UNAVAILABLE);

    void create(String account, String name, long id) {
        Entity entity = new Registry(id, name, false).toEntity();
        entities.put(Registry.key(account, name), EntityCodec.encode(new Entity(77, entity.properties())));
    }

    boolean holds(String account, String name) {
        return entities.containsKey(Registry.key(account, name));
    }

    List<Long> dropped() {
        return dropped;
    }

    List<HandoffOrder> handoffs() {
        return handoffs;
    }

    /** From now on this carries orders out. */
    void carryOutBy(Function<HandoffOrder, CompletableFuture<ErrorCode>> action) {
        carrier = action;
    }

    @Override
    public void read(ReadRequest request, StreamObserver<ReadReply> observer) {
        byte[] entity = entities.get(Key.fromWire(request.getKey()));
        observer.onNext(
                entity == null
                        ? ReadReply.newBuilder()
                                .setStatus(status(ErrorCode.NOT_FOUND))
                                .build()
                        : ReadReply.newBuilder()
                                .setEntity(ByteString.copyFrom(entity))
                                .build());
        observer.onCompleted();
    }

    @Override
    public void write(WriteRequest request, StreamObserver<WriteReply> observer) {
        WriteOperation operation = request.getOperations(0);
        Key key = Key.fromWire(operation.getKey());
        byte[] stored = entities.get(key);
        ErrorCode code = ErrorCode.OK;
        if (stored == null || operation.getIfMatch() != EntityCodec.timestamp(stored)) {
            code = ErrorCode.CONDITION_FAILED;
        } else if (operation.getKind() == WriteKind.DELETE) {
            entities.remove(key);
        } else {
            entities.put(key, EntityCodec.merge(stored, operation.getEntity().toByteArray()));
        }
        observer.onNext(WriteReply.newBuilder().setStatus(status(code)).build());
        observer.onCompleted();
    }

    @Override
    public void drop(DropRequest request, StreamObserver<DropReply> observer) {
        dropped.add(request.getTable());
        observer.onNext(DropReply.getDefaultInstance());
        observer.onCompleted();
    }

    @Override
    public void handoff(HandoffOrder order, StreamObserver<HandoffOutcome> observer) {
        handoffs.add(order);
        carrier.apply(order).thenAccept(code -> {
            observer.onNext(HandoffOutcome.newBuilder().setStatus(status(code)).build());
            observer.onCompleted();
        });
    }

    private static Status status(ErrorCode code) {
        return Status.newBuilder().setCode(code).build();
    }
}
