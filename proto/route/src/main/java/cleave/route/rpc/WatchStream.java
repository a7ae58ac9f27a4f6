package cleave.route.rpc;

import cleave.model.MapAssembly;
import cleave.model.PartitionMap;
import cleave.runtime.rpc.Channels;
import cleave.wire.MapUpdate;
import cleave.wire.MapWatchGrpc;
import cleave.wire.WatchRequest;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** One stream of map updates from one seed. Confined to its watcher's loop, except the listeners. */
final class WatchStream {
    private final String seed;
    private final BiConsumer<WatchStream, MapUpdate> updated;
    private final BiConsumer<WatchStream, String> ended;
    private final long openedNanos;
    private long heardNanos;
    private boolean hasHeard;
    private long version;
    private final MapAssembly assembly = new MapAssembly();
    private @Nullable ClientCall<WatchRequest, MapUpdate> call;

    /** The listeners are called on the network's threads; the second one with the reason of the end. */
    WatchStream(
            String seed,
            long nowNanos,
            BiConsumer<WatchStream, MapUpdate> updated,
            BiConsumer<WatchStream, String> ended) {
        this.seed = seed;
        this.updated = updated;
        this.ended = ended;
        this.openedNanos = nowNanos;
        this.heardNanos = nowNanos;
    }

    /** @param watcher who watches, in an otherwise empty request */
    void open(Channels channels, PartitionMap known, WatchRequest watcher) {
        version = known.version();
        ClientCall<WatchRequest, MapUpdate> made =
                channels.to(seed).newCall(MapWatchGrpc.getWatchMethod(), CallOptions.DEFAULT);
        call = made;
        made.start(
                new ClientCall.Listener<>() {
                    @Override
                    public void onMessage(MapUpdate update) {
                        updated.accept(WatchStream.this, update);
                    }

                    @Override
                    public void onClose(Status status, Metadata trailers) {
                        ended.accept(WatchStream.this, status.getCode() + " " + status.getDescription());
                    }
                },
                new Metadata());
        made.sendMessage(watcher.toBuilder()
                .setVersion(version)
                .setCluster(known.cluster())
                .setPieces(true)
                .setSameServers(true)
                .build());
        made.halfClose();
        made.request(1);
    }

    String seed() {
        return seed;
    }

    long openedNanos() {
        return openedNanos;
    }

    long heardNanos() {
        return heardNanos;
    }

    /** True once an update has come. */
    boolean hasHeard() {
        return hasHeard;
    }

    /** The newest map after an update. IllegalArgumentException if it is malformed, or does not belong to the pieces before. */
    PartitionMap assemble(PartitionMap current, MapUpdate update) {
        return assembly.add(current, update);
    }

    /** True if a change is incomplete, and a piece of it came since. */
    boolean isBringing(long sinceNanos) {
        return assembly.isUnderWay() && heardNanos - sinceNanos >= 0;
    }

    /** The version of the last whole update; before the first one, the version of the watcher. */
    long version() {
        return version;
    }

    void heard(long nowNanos, MapUpdate update) {
        heardNanos = nowNanos;
        hasHeard = true;
        if (!update.getMore()) {
            version = update.getVersion();
        }
    }

    /** Requests the next update: at most one is in flight. */
    void more() {
        if (call != null) {
            call.request(1);
        }
    }

    void close() {
        if (call != null) {
            call.cancel("left", null);
        }
    }
}
