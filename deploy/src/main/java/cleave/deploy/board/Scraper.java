package cleave.deploy.board;

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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the metrics of processes, every few seconds, a few processes at a time. Thread-safe. A process that does not answer in time is told to be
 * down, and costs the others nothing but one of the threads for a second.
 */
final class Scraper implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Scraper.class);
    private static final Duration PATIENCE = Duration.ofSeconds(1);
    private static final long BETWEEN_MILLIS = 2000;
    private static final int THREADS = 4;
    private static final int TARGETS_MAX = 1000;

    private final List<Named> named;
    private final ThreadPoolExecutor threads = new ThreadPoolExecutor(
            THREADS, THREADS, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), Scraper::thread);
    private final Thread round = new Thread(this::run, "board scrapes");
    private volatile List<Target> known = List.of();
    private final Map<Target, Scrape> newest = new TreeMap<>(Scraper::compare);
    private volatile boolean isClosed;

    /** Processes that an option names: all that the host's name leads to. */
    record Named(Kind kind, Address address) {}

    Scraper(Collection<Named> named) {
        this.named = List.copyOf(named);
        threads.allowCoreThreadTimeOut(true);
        round.setDaemon(true);
        round.start();
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

    synchronized List<Scrape> newest() {
        return List.copyOf(newest.values());
    }

    private void run() {
        while (!isClosed) {
            try {
                scrapeAll();
                Thread.sleep(BETWEEN_MILLIS);
            } catch (InterruptedException closed) {
                return;
            } catch (RuntimeException bug) {
                LOG.error("a round of scrapes failed", bug);
            }
        }
    }

    private void scrapeAll() throws InterruptedException {
        List<Target> targets = targets();
        CountDownLatch left = new CountDownLatch(targets.size());
        for (Target target : targets) {
            threads.execute(() -> {
                try {
                    put(scrape(target));
                } finally {
                    left.countDown();
                }
            });
        }
        left.await();
        keepOnly(targets);
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

    private static Scrape scrape(Target target) {
        Metrics metrics = null;
        try {
            Address at = Address.parse(target.admin());
            if (!at.isInProcess()) {
                metrics = get(at);
            }
        } catch (IOException | IllegalArgumentException silent) {
            LOG.debug("no metrics target={}", target, silent);
        }
        return new Scrape(target, System.currentTimeMillis(), metrics);
    }

    private static Metrics get(Address at) throws IOException {
        try (Connection connection = Connection.open(at.name(), at.port(), PATIENCE)) {
            Answer answer = connection.exchange(Request.of("GET", "/metrics").with("Connection", "close"));
            if (answer.status() != 200) {
                throw new IOException("/metrics answered " + answer.status());
            }
            return Metrics.parse(answer.text());
        }
    }

    private synchronized void put(Scrape scrape) {
        newest.put(scrape.target(), scrape);
    }

    private synchronized void keepOnly(List<Target> targets) {
        Map<Target, Scrape> kept = new LinkedHashMap<>();
        for (Target target : targets) {
            Scrape scrape = newest.get(target);
            if (scrape != null) {
                kept.put(target, scrape);
            }
        }
        newest.clear();
        newest.putAll(kept);
    }

    @Override
    public void close() {
        isClosed = true;
        round.interrupt();
        threads.shutdownNow();
    }
}
