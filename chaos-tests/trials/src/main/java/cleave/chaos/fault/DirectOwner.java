package cleave.chaos.fault;

import cleave.model.Key;
import cleave.model.entity.EdmType;
import cleave.model.entity.Entity;
import cleave.model.entity.EntityCodec;
import cleave.model.entity.Property;
import cleave.runtime.rpc.Channels;
import cleave.wire.ErrorCode;
import cleave.wire.RangesGrpc;
import cleave.wire.RangesGrpc.RangesBlockingStub;
import cleave.wire.ReadRequest;
import cleave.wire.Route;
import cleave.wire.WriteKind;
import cleave.wire.WriteOperation;
import cleave.wire.WriteRequest;
import com.google.protobuf.UnsafeByteOperations;
import io.grpc.StatusRuntimeException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Asks one server directly, past front ends and map, by a route that it once owned: what a client with an old map, or an old
 * owner that nobody has told, could bring about. Thread-safe.
 */
public final class DirectOwner {
    private static final int DEADLINE_MILLIS = 5_000;

    private final RangesBlockingStub server;
    private final Route route;
    private final Key key;

    /** @param route to the range as the server owned it */
    public DirectOwner(Channels channels, String address, Route route, Key key) {
        this.server = RangesGrpc.newBlockingStub(channels.to(address));
        this.route = route;
        this.key = key;
    }

    /** Sends an upsert and returns the answer; UNKNOWN_OUTCOME if it does not answer in time. */
    public ErrorCode write(String value) {
        Entity entity = new Entity(0, List.of(new Property("A", EdmType.STRING, value)));
        WriteOperation operation = WriteOperation.newBuilder()
                .setKind(WriteKind.INSERT_OR_REPLACE)
                .setKey(key.toWire())
                .setEntity(UnsafeByteOperations.unsafeWrap(EntityCodec.encode(entity)))
                .build();
        WriteRequest request = WriteRequest.newBuilder()
                .setRoute(route)
                .addOperations(operation)
                .setDeadlineMillis(DEADLINE_MILLIS)
                .build();
        return answered(() -> patient().write(request).getStatus().getCode());
    }

    /** Sends a read and returns the answer; UNKNOWN_OUTCOME if it does not answer in time. */
    public ErrorCode read() {
        ReadRequest request = ReadRequest.newBuilder()
                .setRoute(route)
                .setKey(key.toWire())
                .setDeadlineMillis(DEADLINE_MILLIS)
                .build();
        return answered(() -> patient().read(request).getStatus().getCode());
    }

    private static ErrorCode answered(Supplier<ErrorCode> call) {
        try {
            return call.get();
        } catch (StatusRuntimeException noAnswer) {
            return ErrorCode.UNKNOWN_OUTCOME;
        }
    }

    private RangesBlockingStub patient() {
        return server.withDeadlineAfter(2L * DEADLINE_MILLIS, TimeUnit.MILLISECONDS);
    }
}
