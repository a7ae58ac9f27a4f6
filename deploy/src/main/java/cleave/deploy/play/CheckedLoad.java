package cleave.deploy.play;

import cleave.client.Endpoint;
import cleave.client.Requests;
import cleave.client.RetryingClient;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Clients that check every answer, at a steady rate. They have a table of their own, which is made when the first load begins and deleted at the end.
 * Thread-safe; closed once.
 */
final class CheckedLoad implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CheckedLoad.class);
    private static final int CLIENTS = 12;
    private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long PAUSE_MILLIS = 100;
    private static final long TABLE_PAUSE_MILLIS = 1_000;
    private static final long END_MILLIS = 3_000;
    private static final Duration TABLE_PATIENCE = Duration.ofSeconds(3);

    private final Supplier<List<Endpoint>> endpoints;
    private final String table = "Play" + Long.toString(System.currentTimeMillis(), Character.MAX_RADIX);
    private final Lamp lamp = new Lamp();
    private final AtomicLong ends = new AtomicLong();
    private final CountDownLatch tableMade = new CountDownLatch(1);
    private final CountDownLatch closing = new CountDownLatch(1);
    /** Guarded by this, as the next. */
    private final List<Thread> clients = new ArrayList<>();

    private @Nullable LoadShape shape;
    private volatile String trouble = "";

    /** @param endpoints of the front ends, with an account; asked when the first load begins. A RuntimeException says why there are none */
    CheckedLoad(Supplier<List<Endpoint>> endpoints) {
        this.endpoints = endpoints;
    }

    /** From now on this load; null: none. */
    synchronized void shape(@Nullable LoadShape next) {
        if (next != null && clients.isEmpty() && closing.getCount() > 0) {
            List<Requests> to = endpoints.get().stream().map(Requests::new).toList();
            for (int number = 0; number < CLIENTS; number++) {
                int its = number;
                Thread client = new Thread(() -> run(its, to), "play-" + number);
                client.setDaemon(true);
                clients.add(client);
                client.start();
            }
        }
        shape = next;
        notifyAll();
    }

    synchronized @Nullable LoadShape shape() {
        return shape;
    }

    Lamp.Counts counts() {
        return lamp.counts();
    }

    /** Why there is no load though there should be; empty if nothing is known. */
    String trouble() {
        return trouble;
    }

    private void run(int number, List<Requests> to) {
        try (CheckedClient client =
                new CheckedClient(number, table, to, lamp, ends::incrementAndGet, new Random(number))) {
            if (number == 0) {
                makeTable(to);
            }
            tableMade.await();
            long due = System.nanoTime();
            for (LoadShape now = awaited(); now != null; now = awaited()) {
                due = Math.max(due + CLIENTS * SECOND_NANOS / now.perSecond(), System.nanoTime() - SECOND_NANOS);
                if (closing.await(due - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                    return;
                }
                if (!client.step(now) && closing.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS)) {
                    return;
                }
            }
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException bug) {
            LOG.error("a client of the load ended number={}", number, bug);
            trouble = "a client ended: " + bug;
        }
    }

    private void makeTable(List<Requests> to) throws InterruptedException {
        boolean isMade = false;
        for (int attempt = 0; !isMade; attempt++) {
            try (RetryingClient client = new RetryingClient(to.get(attempt % to.size()), TABLE_PATIENCE)) {
                client.ensureTable(table);
                trouble = "";
                isMade = true;
            } catch (IOException failed) {
                trouble = "the table of the load cannot be made: " + failed.getMessage();
                if (closing.await(TABLE_PAUSE_MILLIS, TimeUnit.MILLISECONDS)) {
                    return;
                }
            }
        }
        tableMade.countDown();
    }

    /** The load that is asked for, once one is; null when this is closed. */
    private synchronized @Nullable LoadShape awaited() throws InterruptedException {
        while (shape == null && closing.getCount() > 0) {
            wait();
        }
        return closing.getCount() > 0 ? shape : null;
    }

    @Override
    public void close() {
        closing.countDown();
        List<Thread> all;
        synchronized (this) {
            notifyAll();
            all = List.copyOf(clients);
        }
        all.forEach(Thread::interrupt);
        try {
            for (Thread client : all) {
                client.join(END_MILLIS / CLIENTS);
            }
        } catch (InterruptedException hurried) {
            Thread.currentThread().interrupt();
        }
        if (tableMade.getCount() == 0) {
            deleteTable();
        }
    }

    private void deleteTable() {
        try (RetryingClient client =
                new RetryingClient(new Requests(endpoints.get().get(0)), TABLE_PATIENCE)) {
            client.exchange(to -> to.deleteTable(table));
        } catch (IOException | RuntimeException left) {
            LOG.warn("the table of the load stays table={} reason={}", table, left.toString());
        }
    }
}
