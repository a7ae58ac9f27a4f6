package cleave.server.rpc;

import cleave.model.MapChange;
import cleave.model.PartitionMap;
import cleave.route.MapView;
import cleave.runtime.loop.EventLoop;
import cleave.wire.MapUpdate;
import cleave.wire.MapWatchGrpc.MapWatchImplBase;
import cleave.wire.WatchRequest;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Streams the map that this server follows to other processes, so that it is available while no master answers. Watchers are confined to
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
        Watcher watcher = new Watcher(out, request);
        out.setOnReadyHandler(() -> loop.submit(watcher::pump));
        out.setOnCancelHandler(() -> loop.submit(() -> watchers.remove(watcher)));
        loop.submit(() -> {
            watchers.add(watcher);
            watcher.pump();
        });
    }

    /** One stream, which gets the difference to the newest map, piece by piece as it is ready for them. */
    private final class Watcher {
        private final ServerCallStreamObserver<MapUpdate> out;
        private final WatchRequest request;
        private PartitionMap sent = PartitionMap.EMPTY;
        private @Nullable MapChange sending;

        Watcher(ServerCallStreamObserver<MapUpdate> out, WatchRequest request) {
            this.out = out;
            this.request = request;
        }

        void pump() {
            loop.assertInside();
            String cluster = map.current().cluster();
            if (PartitionMap.areDifferentClusters(request.getCluster(), cluster)) {
                refuse(cluster);
                return;
            }
            while (out.isReady() && !out.isCancelled()) {
                MapChange change = sending == null ? lacking() : sending;
                if (change == null) {
                    return;
                }
                MapUpdate update = request.getPieces() ? change.next() : change.joined();
                sending = change.hasNext() ? change : null;
                out.onNext(update);
            }
        }

        /** Versions of different clusters' maps are not comparable, so the watcher gets only the id of this cluster. */
        private void refuse(String cluster) {
            if (out.isReady() && !out.isCancelled()) {
                out.onNext(MapUpdate.newBuilder().setCluster(cluster).build());
                watchers.remove(this);
            }
        }

        /** Null if it has the newest. */
        private @Nullable MapChange lacking() {
            PartitionMap now = map.current();
            PartitionMap before = sent;
            boolean isFirst = before == PartitionMap.EMPTY;
            boolean knowsAll = isFirst ? now.version() <= request.getVersion() : now == before;
            if (knowsAll || now.version() == 0) {
                return null;
            }
            sent = now;
            return isFirst ? now.whole() : now.changesSince(before);
        }
    }
}
