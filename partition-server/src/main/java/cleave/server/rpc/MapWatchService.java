package cleave.server.rpc;

import cleave.loop.EventLoop;
import cleave.model.PartitionMap;
import cleave.route.MapView;
import cleave.wire.MapUpdate;
import cleave.wire.MapWatchGrpc.MapWatchImplBase;
import cleave.wire.WatchRequest;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Gives the map that this server follows to whoever asks, so that it can be had while no master answers. Watchers are confined to
 * the loop.
 */
public final class MapWatchService extends MapWatchImplBase {
    private final EventLoop loop;
    private final MapView map;
    private final Set<Watcher> watchers = new LinkedHashSet<>();

    public MapWatchService(EventLoop loop, MapView map) {
        this.loop = loop;
        this.map = map;
        map.onChange(() -> loop.submit(() -> List.copyOf(watchers).forEach(Watcher::pump)));
    }

    @Override
    public void watch(WatchRequest request, StreamObserver<MapUpdate> observer) {
        ServerCallStreamObserver<MapUpdate> out = (ServerCallStreamObserver<MapUpdate>) observer;
        Watcher watcher = new Watcher(out, request.getVersion());
        out.setOnReadyHandler(() -> loop.submit(watcher::pump));
        out.setOnCancelHandler(() -> loop.submit(() -> watchers.remove(watcher)));
        loop.submit(() -> {
            watchers.add(watcher);
            watcher.pump();
        });
    }

    /** One stream: it is sent the difference to the newest map whenever it can take more. */
    private final class Watcher {
        private final ServerCallStreamObserver<MapUpdate> out;
        private final long version;
        private PartitionMap sent = PartitionMap.EMPTY;

        Watcher(ServerCallStreamObserver<MapUpdate> out, long version) {
            this.out = out;
            this.version = version;
        }

        void pump() {
            PartitionMap now = map.current();
            boolean knowsAll = sent == PartitionMap.EMPTY ? now.version() <= version : now == sent;
            if (knowsAll || now.version() == 0 || out.isCancelled() || !out.isReady()) {
                return;
            }
            MapUpdate update = sent == PartitionMap.EMPTY ? now.toWire() : now.changesSince(sent);
            sent = now;
            out.onNext(update);
        }
    }
}
