package cleave.route.rpc;

import cleave.model.FeatureLevels;
import cleave.model.PartitionMap;
import cleave.route.MapView;
import cleave.runtime.loop.Backoff;
import cleave.runtime.loop.EventLoop;
import cleave.runtime.rpc.Address;
import cleave.runtime.rpc.Channels;
import cleave.wire.MapUpdate;
import cleave.wire.WatchRequest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows the partition map from any of several seeds (masters or servers), and from the masters that the map names.
 * {@link #current} and {@link #onChange} are thread-safe; the rest is confined to the loop.
 *
 * <p>With two seeds or more, two are followed at a time. A seed that is paused or partitioned is silent, and only the updates of the other
 * one show that it lags; then the next seed replaces it. The updates of both go into one map, in any order, since the changes of a stream
 * start at a version that this map has reached. A change in pieces takes effect with its last piece; a stream that breaks before that has
 * no effect.
 *
 * <p>All updates belong to one cluster, the first that is seen: a seed of another one is refused, and {@link #refusal} says so.
 */
public final class MapWatcher implements MapView, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MapWatcher.class);
    private static final int STREAMS_MAX = 2;
    private static final long CHECK_NANOS = 500_000_000;
    /** A stream may lag behind another one for this long. */
    private static final long LAG_NANOS_MAX = 1_500_000_000;
    /** A seed that is silent for this long is replaced, because it may be partitioned itself. */
    private static final long SILENCE_NANOS_MAX = 60_000_000_000L;

    private static final Backoff BACKOFF = new Backoff(20_000_000, 500_000_000);

    private final EventLoop loop;
    private final Channels channels;
    private final List<String> configured;
    private final Random random;
    private final FeatureLevels levels;
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
    private volatile PartitionMap current = PartitionMap.EMPTY;
    private volatile WatchRequest watcher = WatchRequest.getDefaultInstance();

    private final List<WatchStream> streams = new ArrayList<>();
    private volatile long connectedNanos;
    private volatile long confirmedNanos;
    /** The clusters of seeds that were refused, by seed, to log each once. */
    private final Map<String, String> refused = new HashMap<>();

    private volatile String refusal = "";
    private int nextSeed; // An index into a list that may grow and shrink.
    /** Streams that are open or will be opened again soon. */
    private int wanted;

    private int failures;
    private long newestNanos;
    private boolean closed;

    /** A stream that was not refused for this long has reached its seed, even if no update came. */
    private static final long CONNECT_NANOS_MAX = 1_500_000_000;

    /** IllegalArgumentException if there is no seed, or one is no address. */
    public MapWatcher(EventLoop loop, Channels channels, List<String> seeds, Random random) {
        this(loop, channels, seeds, random, FeatureLevels.SUPPORTED);
    }

    /** @param levels that this process supports: a map of a cluster at another one is a fault */
    public MapWatcher(EventLoop loop, Channels channels, List<String> seeds, Random random, FeatureLevels levels) {
        this.levels = levels;
        seeds.forEach(Address::parse);
        this.loop = loop;
        this.channels = channels;
        this.configured = seeds.stream().distinct().toList();
        this.random = random;
        this.connectedNanos = loop.nanos();
        this.confirmedNanos = connectedNanos;
        if (seeds.isEmpty()) {
            throw new IllegalArgumentException("the partition map needs at least one seed");
        }
    }

    /**
     * Has the masters know who watches; called before the start. Thread-safe.
     *
     * @param frontEnd the name of the front end
     * @param admin where it serves its metrics; empty if it does not
     */
    public void introduce(String frontEnd, String admin) {
        watcher =
                WatchRequest.newBuilder().setFrontEnd(frontEnd).setAdmin(admin).build();
    }

    /** The first update shows whose map it is. */
    public void start() {
        start("");
    }

    /** @param cluster whose map is wanted; empty: the first that is seen */
    public void start(String cluster) {
        loop.submit(() -> {
            current = PartitionMap.ofCluster(cluster);
            openMore();
            loop.schedule(CHECK_NANOS, this::check);
        });
    }

    @Override
    public PartitionMap current() {
        return current;
    }

    @Override
    public void onChange(Runnable listener) {
        listeners.add(listener);
    }

    /** The time for which no seed has been connected, or since the watcher was made, to half a second. Thread-safe. */
    public long silenceNanos() {
        return Math.max(0, loop.nanos() - connectedNanos);
    }

    /**
     * The time for which no stream has been open on which a seed has sent its map, or since the watcher was made, to half a second. Changes
     * of the map may have been missed for that long. A stream whose seed vanishes counts until the keepalive of its connection ends it.
     * Thread-safe.
     */
    public long unconfirmedNanos() {
        return Math.max(0, loop.nanos() - confirmedNanos);
    }

    /**
     * Why the map is no longer followed, for people: seeds belong to another cluster, and none to the map's is connected. Empty if it is
     * followed, or nobody answers. Thread-safe.
     */
    public String refusal() {
        return refusal;
    }

    /** Opens streams up to the maximum or the number of seeds, including the masters in the map. */
    private void openMore() {
        loop.assertInside();
        for (int most = Math.min(STREAMS_MAX, seeds().size()); wanted < most; wanted++) {
            open();
        }
    }

    private void open() {
        if (closed) {
            return;
        }
        String seed = freeSeed();
        WatchStream stream = new WatchStream(
                seed,
                loop.nanos(),
                (from, update) -> loop.submit(() -> apply(from, update)),
                (from, reason) -> loop.submit(() -> leave(from, reason)));
        streams.add(stream);
        stream.open(channels, current, watcher);
    }

    private List<String> seeds() {
        Set<String> seeds = new LinkedHashSet<>(configured);
        seeds.addAll(current.masters().addresses());
        return List.copyOf(seeds);
    }

    private String freeSeed() {
        List<String> seeds = seeds();
        String seed = seeds.get(nextSeed % seeds.size());
        for (int i = 0; i < seeds.size() && isFollowed(seed); i++) {
            nextSeed++;
            seed = seeds.get(nextSeed % seeds.size());
        }
        nextSeed++;
        return seed;
    }

    private boolean isFollowed(String seed) {
        return streams.stream().anyMatch(stream -> stream.seed().equals(seed));
    }

    private void apply(WatchStream from, MapUpdate update) {
        loop.assertInside();
        if (!streams.contains(from)) {
            return;
        }
        if (PartitionMap.areDifferentClusters(current.cluster(), update.getCluster())) {
            refuse(from, update.getCluster());
            return;
        }
        failures = 0;
        if (update.getLevel() != 0) {
            levels.check("the cluster", update.getLevel());
        }
        PartitionMap before = current;
        PartitionMap after;
        try {
            update.getMasters().getAddressesList().forEach(Address::parse);
            after = from.assemble(before, update);
        } catch (IllegalArgumentException notAMap) {
            leave(from, "it sent an invalid map: " + notAMap.getMessage());
            return;
        }
        from.heard(loop.nanos(), update);
        connectedNanos = loop.nanos();
        confirmedNanos = connectedNanos;
        refusal = "";
        if (after.version() > before.version()) {
            newestNanos = loop.nanos();
        }
        from.more();
        if (after != before) {
            current = after;
            listeners.forEach(Runnable::run);
        }
    }

    private void refuse(WatchStream from, String cluster) {
        loop.assertInside();
        String why = from.seed() + " is of cluster " + cluster + ", but this process follows the map of cluster "
                + current.cluster();
        leave(from, why);
        if (!isConnected(loop.nanos())) {
            refusal = why;
        }
        if (!cluster.equals(refused.put(from.seed(), cluster))) {
            LOG.error(
                    "a seed of the partition map belongs to another cluster and is refused: if that cluster has replaced"
                            + " this one, restart this process; else correct the addresses of the seeds seed={} cluster={} own={}",
                    from.seed(),
                    cluster,
                    current.cluster());
        }
    }

    /** A stream that was not refused for a while has reached a seed of this cluster, or one that is silent. */
    private boolean isConnected(long now) {
        return streams.stream().anyMatch(stream -> stream.hasHeard() || now - stream.openedNanos() > CONNECT_NANOS_MAX);
    }

    private void leave(WatchStream from, String reason) {
        loop.assertInside();
        if (!streams.remove(from)) {
            return;
        }
        from.close();
        if (!closed) {
            LOG.debug(
                    "leaving a seed of the partition map seed={} version={} reason={}",
                    from.seed(),
                    current.version(),
                    reason);
            loop.schedule(BACKOFF.nanos(failures + 1, random), this::open);
            failures++;
        }
    }

    /** Replaces streams that lag behind another one, and those that were silent for too long. */
    private void check() {
        loop.assertInside();
        if (closed) {
            return;
        }
        long now = loop.nanos();
        if (isConnected(now)) {
            connectedNanos = now;
            refusal = "";
        }
        if (streams.stream().anyMatch(WatchStream::hasHeard)) {
            confirmedNanos = now;
        }
        int seeds = seeds().size();
        for (WatchStream stream : List.copyOf(streams)) {
            boolean lags = stream.version() < current.version()
                    && now - newestNanos > LAG_NANOS_MAX
                    && !stream.isBringing(now - LAG_NANOS_MAX)
                    && now - stream.openedNanos() > LAG_NANOS_MAX;
            if (lags) {
                leave(stream, "it lags at version " + stream.version());
            } else if (seeds > 1 && now - stream.heardNanos() > SILENCE_NANOS_MAX) {
                leave(stream, "it is silent");
            }
        }
        openMore();
        loop.schedule(CHECK_NANOS, this::check);
    }

    @Override
    public void close() {
        loop.submit(() -> {
            closed = true;
            List.copyOf(streams).forEach(stream -> leave(stream, "closed"));
        });
    }
}
