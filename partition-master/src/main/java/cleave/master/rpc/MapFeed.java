package cleave.master.rpc;

import cleave.master.core.StreamSink;
import cleave.master.metrics.MasterMetrics;
import cleave.master.state.MapChanges;
import cleave.master.state.MasterState;
import cleave.model.KnownMasters;
import cleave.model.MapChange;
import cleave.model.PartitionMap;
import cleave.route.MapView;
import cleave.runtime.loop.EventLoop;
import cleave.wire.FrontEndSeen;
import cleave.wire.MapUpdate;
import cleave.wire.WatchRequest;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Streams the map to watchers: first the difference to what they have, then every change. {@link #current}, {@link
 * #onChange}, {@link #frontEnds} and {@link #changed} are thread-safe; the rest is confined to the feed's loop.
 *
 * <p>A watcher costs no more than a reference to the last state sent (states share their structure) and its position in
 * the pieces of a change. When it is ready it gets the next piece, then the difference to the newest state: a slow
 * watcher gets merged changes, never a growing queue, and no copy of the map. The last few hundred states are kept, so
 * that a watcher that returns gets only the changes; one that missed more gets the whole map.
 */
public final class MapFeed implements MapView {
    private static final int RECENT_MAX = 512;
    private static final String ENDS = "this master ends; watch another";
    private static final long MASTERS_CHECK_NANOS = 100_000_000;

    private final EventLoop loop;
    private final MasterMetrics metrics;
    private final Supplier<KnownMasters> knownMasters;
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
    private final TreeMap<Long, MasterState> recent = new TreeMap<>();
    private final Set<Watcher> watchers = new LinkedHashSet<>();
    private MasterState state = MasterState.EMPTY;
    private KnownMasters masters = KnownMasters.NONE;
    private boolean stopped;
    private volatile PartitionMap current = PartitionMap.EMPTY;
    private volatile List<FrontEndSeen> frontEnds = List.of();

    public MapFeed(EventLoop loop, MasterMetrics metrics, Supplier<KnownMasters> knownMasters) {
        this.loop = loop;
        this.metrics = metrics;
        this.knownMasters = knownMasters;
    }

    /** One watch stream. Confined to the feed's loop. */
    public static final class Watcher {
        private final StreamSink<MapUpdate> sink;
        private final WatchRequest request;
        private @Nullable MasterState sent;
        private KnownMasters sentMasters = KnownMasters.NONE;
        /** The remaining pieces of the change to the sent state; null if there are none. */
        private @Nullable MapChange sending;

        public Watcher(WatchRequest request, StreamSink<MapUpdate> sink) {
            this.request = request;
            this.sink = sink;
        }
    }

    public void start() {
        loop.submit(this::checkMasters);
    }

    public void stop() {
        loop.submit(() -> {
            stopped = true;
            endAll();
        });
    }

    /** Publishes a newer state; one of another cluster takes the place of all that was known, whatever its version. */
    public void changed(MasterState next) {
        loop.submit(() -> advance(next));
    }

    @Override
    public PartitionMap current() {
        return current;
    }

    @Override
    public void onChange(Runnable listener) {
        listeners.add(listener);
    }

    /** The front ends among the watchers; those of older versions do not say that they are some. */
    public List<FrontEndSeen> frontEnds() {
        return frontEnds;
    }

    /** Notes who watches, after that has changed. */
    private void count() {
        loop.assertInside();
        metrics.watchers.set(watchers.size());
        frontEnds = watchers.stream()
                .map(watcher -> watcher.request)
                .filter(request -> !request.getFrontEnd().isEmpty())
                .map(request -> FrontEndSeen.newBuilder()
                        .setId(request.getFrontEnd())
                        .setAdmin(request.getAdmin())
                        .build())
                .distinct()
                .toList();
    }

    public void join(Watcher watcher) {
        loop.submit(() -> {
            if (isOutside()) {
                watcher.sink.fail(ENDS);
                return;
            }
            watchers.add(watcher);
            count();
            pump(watcher);
        });
    }

    public void leave(Watcher watcher) {
        loop.submit(() -> {
            watchers.remove(watcher);
            count();
        });
    }

    /** Sends more to a watcher that is ready. */
    public void ready(Watcher watcher) {
        loop.submit(() -> {
            if (watchers.contains(watcher)) {
                pump(watcher);
            }
        });
    }

    /**
     * True if this master is in no group: it would never send anything, which watchers could not distinguish from a map
     * without changes.
     */
    private boolean isOutside() {
        return knownMasters.get().equals(KnownMasters.NONE);
    }

    private void endAll() {
        loop.assertInside();
        watchers.forEach(watcher -> watcher.sink.fail(ENDS));
        watchers.clear();
        count();
    }

    /** Versions of the map of a cluster that it has left say nothing about that of another. */
    private void forget() {
        loop.assertInside();
        endAll();
        if (state.mapVersion() == 0 && masters.equals(KnownMasters.NONE)) {
            return;
        }
        state = MasterState.EMPTY;
        masters = KnownMasters.NONE;
        recent.clear();
        current = PartitionMap.EMPTY;
        listeners.forEach(Runnable::run);
    }

    private void advance(MasterState next) {
        loop.assertInside();
        if (PartitionMap.areDifferentClusters(state.cluster(), next.cluster())) {
            forget();
        }
        if (next.mapVersion() <= state.mapVersion()) {
            return;
        }
        MapChange change = MapChanges.since(state, next, masters);
        state = next;
        recent.put(next.mapVersion(), next);
        if (recent.size() > RECENT_MAX) {
            recent.pollFirstEntry();
        }
        publish(change);
    }

    private void publish(MapChange change) {
        loop.assertInside();
        current = current.with(change);
        listeners.forEach(Runnable::run);
        List.copyOf(watchers).forEach(this::pump);
    }

    private void checkMasters() {
        loop.assertInside();
        if (stopped) {
            return;
        }
        if (isOutside()) {
            forget();
        }
        KnownMasters known = masters.with(knownMasters.get());
        if (!known.equals(masters)) {
            masters = known;
            publish(MapChanges.since(state, state, masters));
        }
        loop.schedule(MASTERS_CHECK_NANOS, this::checkMasters);
    }

    private void pump(Watcher watcher) {
        loop.assertInside();
        if (PartitionMap.areDifferentClusters(watcher.request.getCluster(), state.cluster())) {
            refuse(watcher);
            return;
        }
        while (watcher.sink.isReady()) {
            MapChange change = watcher.sending == null ? lacking(watcher) : watcher.sending;
            if (change == null) {
                return;
            }
            MapUpdate update = watcher.request.getPieces() ? change.next() : change.joined();
            watcher.sending = change.hasNext() ? change : null;
            watcher.sink.send(update);
            metrics.mapUpdates.inc();
        }
    }

    /** Versions of different clusters' maps are not comparable, so the watcher gets only the id of this cluster. */
    private void refuse(Watcher watcher) {
        loop.assertInside();
        if (watcher.sink.isReady()) {
            watcher.sink.send(MapUpdate.newBuilder().setCluster(state.cluster()).build());
            leave(watcher);
        }
    }

    /** The change to send to a watcher now; null if there is none. */
    private @Nullable MapChange lacking(Watcher watcher) {
        MasterState older = watcher.sent;
        boolean knowsAll = older == null
                ? watcher.request.getVersion() > state.mapVersion() // More than this master does yet.
                : older.mapVersion() == state.mapVersion() && watcher.sentMasters.equals(masters);
        if (knowsAll) {
            return null;
        }
        watcher.sent = state;
        watcher.sentMasters = masters;
        if (older != null && watcher.request.getSameServers()) {
            return MapChanges.since(older, state, masters);
        }
        MasterState known = older == null ? recent.get(watcher.request.getVersion()) : older;
        return known == null ? MapChanges.whole(state, masters) : MapChanges.between(known, state, masters);
    }
}
