package cleave.deploy.board;

import cleave.board.scrape.Figures;
import cleave.board.scrape.Metrics;
import cleave.board.scrape.Scrape;
import cleave.board.scrape.Scrape.Kind;
import cleave.board.scrape.Scrape.Target;
import cleave.client.Answer;
import cleave.client.Connection;
import cleave.client.Request;
import cleave.runtime.rpc.Address;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the metrics of processes, a few processes at a time, and only as often as somebody asks for what was read. Thread-safe. A process that
 * does not answer in time is told to be down, and costs the others nothing but one of the threads for a second.
 */
final class Scraper implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Scraper.class);
    private static final Duration PATIENCE = Duration.ofSeconds(1);
    /** From the begin of one round to that of the next, at least. */
    static final long BETWEEN_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** Cleave's processes answer with these alone; those of another make with all that they have. */
    private static final String METRICS =
            Figures.NAMES.stream().sorted().collect(Collectors.joining("&name%5B%5D=", "/metrics?name%5B%5D=", ""));

    private static final int THREADS = 4;
    private static final int TARGETS_MAX = 1000;

    private final List<Named> named;
    private final LongSupplier nanos;
    private final ThreadPoolExecutor threads = new ThreadPoolExecutor(
            THREADS, THREADS, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), Scraper::thread);
    private volatile List<Target> known = List.of();
    /** Guarded by this, as all below. */
    private List<Scrape> newest = List.of();

    private long began;
    private boolean isUnderWay;
    private boolean isClosed;

    /** Processes that an option names: all that the host's name leads to. */
    record Named(Kind kind, Address address) {}

    Scraper(Collection<Named> named) {
        this(named, System::nanoTime);
    }

    Scraper(Collection<Named> named, LongSupplier nanos) {
        this.named = List.copyOf(named);
        this.nanos = nanos;
        this.began = nanos.getAsLong() - BETWEEN_NANOS;
        threads.allowCoreThreadTimeOut(true);
    }

    private static Thread thread(Runnable task) {
        Thread thread = new Thread(task, "board scrape");
        thread.setDaemon(true);
        return thread;
    }

    private static int compare(Target one, Target other) {
        int byKind = one.kind().compareTo(other.kind());
        return byKind != 0 ? byKind : one.admin().compareTo(other.admin());
    }

    /** From now on these, besides those that options name. */
    void know(List<Target> targets) {
        known = List.copyOf(targets);
    }

    /** The scrapes of the last round. Begins the next one, unless one is under way or the last one began a moment ago. */
    synchronized List<Scrape> newest() {
        if (!isUnderWay && !isClosed && nanos.getAsLong() - began >= BETWEEN_NANOS) {
            isUnderWay = true;
            began = nanos.getAsLong();
            threads.execute(this::begin);
        }
        return newest;
    }

    private void begin() {
        try {
            Round round = new Round(targets());
            if (round.byAddress.isEmpty()) {
                ended(List.of());
            }
            round.byAddress.forEach((admin, targets) -> execute(() -> round.scrape(admin, targets)));
        } catch (RuntimeException bug) {
            LOG.error("a round of scrapes failed", bug);
            ended(List.of());
        }
    }

    private synchronized void execute(Runnable scrape) {
        if (!isClosed) {
            threads.execute(scrape);
        }
    }

    private synchronized void ended(List<Scrape> scrapes) {
        newest = scrapes;
        isUnderWay = false;
    }

    /** Each process once, however many targets it is. */
    private final class Round {
        private final Map<String, List<Target>> byAddress = new TreeMap<>();
        private final List<Scrape> scrapes = new ArrayList<>();
        private final int expected;

        Round(List<Target> targets) {
            expected = targets.size();
            targets.forEach(target -> byAddress
                    .computeIfAbsent(target.admin(), first -> new ArrayList<>())
                    .add(target));
        }

        void scrape(String admin, List<Target> targets) {
            Metrics metrics = metrics(admin);
            long now = System.currentTimeMillis();
            synchronized (scrapes) {
                targets.forEach(target -> scrapes.add(new Scrape(target, now, metrics)));
                if (scrapes.size() == expected) {
                    scrapes.sort((one, other) -> compare(one.target(), other.target()));
                    ended(List.copyOf(scrapes));
                }
            }
        }
    }

    /** Each address once; what the cluster tells has the better name. */
    private List<Target> targets() {
        Map<Target, Target> targets = new TreeMap<>(Scraper::compare);
        known.forEach(target -> targets.putIfAbsent(target, target));
        named.forEach(each -> resolved(each).forEach(target -> targets.putIfAbsent(target, target)));
        return targets.values().stream().limit(TARGETS_MAX).toList();
    }

    /** Names are looked up anew each time: a process may come back at another address, and a name may stand for several. */
    private static List<Target> resolved(Named named) {
        List<Target> targets = new ArrayList<>();
        try {
            InetAddress[] all = InetAddress.getAllByName(named.address().name());
            for (InetAddress each : all) {
                Address at = new Address(each.getHostAddress(), named.address().port());
                String id = all.length == 1 ? named.address().toString() : at.toString();
                targets.add(new Target(named.kind(), id, at.toString()));
            }
        } catch (UnknownHostException unknown) {
            targets.add(new Target(
                    named.kind(), named.address().toString(), named.address().toString()));
        }
        return targets;
    }

    private static @Nullable Metrics metrics(String admin) {
        try {
            Address at = Address.parse(admin);
            return at.isInProcess() ? null : get(at);
        } catch (IOException | IllegalArgumentException silent) {
            LOG.debug("no metrics admin={}", admin, silent);
            return null;
        }
    }

    private static Metrics get(Address at) throws IOException {
        try (Connection connection = Connection.open(at.name(), at.port(), PATIENCE)) {
            Answer answer = connection.exchange(Request.of("GET", METRICS).with("Connection", "close"));
            if (answer.status() != 200) {
                throw new IOException("/metrics answered " + answer.status());
            }
            return Metrics.parse(answer.text(), Figures.NAMES);
        }
    }

    @Override
    public synchronized void close() {
        isClosed = true;
        threads.shutdownNow();
    }
}
