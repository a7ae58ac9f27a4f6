package cleave.master.rpc;

import cleave.wire.MapUpdate;
import cleave.wire.MapWatchGrpc.MapWatchImplBase;
import cleave.wire.WatchRequest;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;

/** The map stream over gRPC. Thread-safe. */
final class WatchService extends MapWatchImplBase {
    private final MapFeed feed;

    WatchService(MapFeed feed) {
        this.feed = feed;
    }

    @Override
    public void watch(WatchRequest request, StreamObserver<MapUpdate> observer) {
        ServerCallStreamObserver<MapUpdate> out = (ServerCallStreamObserver<MapUpdate>) observer;
        MapFeed.Watcher watcher = new MapFeed.Watcher(request, new GrpcStreamSink<>(out));
        out.setOnReadyHandler(() -> feed.ready(watcher));
        out.setOnCancelHandler(() -> feed.leave(watcher));
        feed.join(watcher);
    }
}
