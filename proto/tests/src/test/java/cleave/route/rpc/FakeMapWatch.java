package cleave.route.rpc;

import cleave.model.Incarnation;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.Row;
import cleave.wire.MapUpdate;
import cleave.wire.MapWatchGrpc;
import cleave.wire.WatchRequest;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A seed of the map that sends what a test gives it. Thread-safe. */
final class FakeMapWatch extends MapWatchGrpc.MapWatchImplBase {
    record Watch(long version, boolean pieces, String cluster, StreamObserver<MapUpdate> updates) {}

    private final BlockingQueue<Watch> watches = new LinkedBlockingQueue<>();

    @Override
    public void watch(WatchRequest request, StreamObserver<MapUpdate> updates) {
        watches.add(new Watch(request.getVersion(), request.getPieces(), request.getCluster(), updates));
    }

    /** The next stream that a watcher opened. */
    Watch next() throws InterruptedException {
        Watch watch = watches.poll(60, TimeUnit.SECONDS);
        if (watch == null) {
            throw new AssertionError("no watcher came");
        }
        return watch;
    }

    int waiting() {
        return watches.size();
    }

    static MapUpdate map(long version) {
        Row row = new Row(1, KeyRange.ALL, new Incarnation("s", version), null, version, version);
        return MapUpdate.newBuilder()
                .setVersion(version)
                .setWhole(true)
                .addRows(row.toWire())
                .build();
    }

    static MapUpdate map(long version, String cluster) {
        return map(version).toBuilder().setCluster(cluster).build();
    }

    /** A piece, which needs {@link #upperHalf} to be a map. */
    static MapUpdate lowerHalf(long version) {
        return half(version, 1, new KeyRange(Key.MIN, Key.beforeTable(5)))
                .setMore(true)
                .build();
    }

    static MapUpdate upperHalf(long version) {
        return half(version, 2, new KeyRange(Key.beforeTable(5), null)).build();
    }

    private static MapUpdate.Builder half(long version, long id, KeyRange range) {
        Row row = new Row(id, range, new Incarnation("s", version), null, version, version);
        return MapUpdate.newBuilder().setVersion(version).setWhole(true).addRows(row.toWire());
    }
}
