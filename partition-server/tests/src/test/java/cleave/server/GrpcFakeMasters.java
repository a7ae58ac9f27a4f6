package cleave.server;

import cleave.runtime.loop.ThreadLoop;
import cleave.runtime.rpc.RpcServer;
import cleave.server.outside.Masters;
import cleave.wire.CommandReply;
import cleave.wire.HandoffRequest;
import cleave.wire.HeartbeatReply;
import cleave.wire.HeartbeatRequest;
import cleave.wire.MapUpdate;
import cleave.wire.MapWatchGrpc.MapWatchImplBase;
import cleave.wire.MasterGrpc.MasterImplBase;
import cleave.wire.PublishRequest;
import cleave.wire.RegisterReply;
import cleave.wire.RegisterRequest;
import cleave.wire.WatchRequest;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

/** {@link FakeMasters} behind real gRPC. Thread-safe: all of it runs on one loop. */
final class GrpcFakeMasters implements AutoCloseable {
    private final ThreadLoop loop = new ThreadLoop("fake-masters", Throwable::printStackTrace);
    private final FakeMasters masters = new FakeMasters();
    private final RpcServer server;

    GrpcFakeMasters() {
        server = RpcServer.start("127.0.0.1:0", new MasterService(), new WatchService());
    }

    String address() {
        return server.address();
    }

    /** Looks at them, or changes them, in their own thread. */
    <T> T call(Function<FakeMasters, T> use) {
        CompletableFuture<T> result = new CompletableFuture<>();
        loop.submit(() -> {
            try {
                result.complete(use.apply(masters));
            } catch (Throwable failure) {
                result.completeExceptionally(failure);
            }
        });
        return result.join();
    }

    @Override
    public void close() {
        server.close();
        loop.close();
    }

    private <T> void answer(StreamObserver<T> observer, Supplier<CompletableFuture<T>> command) {
        loop.submit(() -> command.get().whenComplete((reply, failure) -> {
            if (failure == null) {
                observer.onNext(reply);
                observer.onCompleted();
            } else {
                observer.onError(Status.UNAVAILABLE.asRuntimeException());
            }
        }));
    }

    private final class MasterService extends MasterImplBase {
        @Override
        public void register(RegisterRequest request, StreamObserver<RegisterReply> observer) {
            answer(observer, () -> masters.register(request));
        }

        @Override
        public void publish(PublishRequest request, StreamObserver<CommandReply> observer) {
            answer(observer, () -> masters.publish(request));
        }

        @Override
        public void commitHandoff(HandoffRequest request, StreamObserver<CommandReply> observer) {
            answer(observer, () -> masters.commitHandoff(request));
        }

        @Override
        public StreamObserver<HeartbeatRequest> heartbeat(StreamObserver<HeartbeatReply> replies) {
            Masters.HeartbeatStream stream = masters.heartbeats(new Masters.HeartbeatListener() {
                @Override
                public void onReply(HeartbeatReply reply) {
                    replies.onNext(reply);
                }

                @Override
                public void onBroken(String why) {
                    replies.onError(Status.UNAVAILABLE.asRuntimeException());
                }
            });
            return new StreamObserver<>() {
                @Override
                public void onNext(HeartbeatRequest request) {
                    loop.submit(() -> stream.send(request));
                }

                @Override
                public void onError(Throwable failure) {
                    loop.submit(stream::close);
                }

                @Override
                public void onCompleted() {
                    loop.submit(stream::close);
                }
            };
        }
    }

    /** Gives the map as it is, once. */
    private final class WatchService extends MapWatchImplBase {
        @Override
        public void watch(WatchRequest request, StreamObserver<MapUpdate> observer) {
            loop.submit(() -> {
                MapUpdate.Builder update = MapUpdate.newBuilder().setWhole(true).setLeader(address());
                long version = 1;
                for (cleave.model.Row row : masters.rows.values()) {
                    update.addRows(row.toWire());
                    version = Math.max(version, row.version());
                }
                if (version > request.getVersion()) {
                    observer.onNext(update.setVersion(version).build());
                }
                loop.schedule(100_000_000, () -> observer.onError(Status.UNAVAILABLE.asRuntimeException()));
            });
        }
    }
}
