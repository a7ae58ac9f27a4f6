package cleave.objects;

import cleave.deploy.CommandFailure;
import cleave.deploy.terminal.Wait;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds a place in an object store for one process, by an object that its holder rewrites again and again. Who finds one watches it: if it
 * changes, somebody holds it, and if it does not for a while, its holder was killed. Clocks of different machines are not compared. Confined
 * to one thread, but for its own.
 */
final class ObjectLock implements AutoCloseable {
    /** How often the holder rewrites it, and for how long it must not have changed until it counts as left. */
    record Times(Duration renewal, Duration left) {
        static final Times USUAL = new Times(Duration.ofSeconds(10), Duration.ofSeconds(45));
    }

    private static final Logger LOG = LoggerFactory.getLogger(ObjectLock.class);
    private static final Duration LOOK = Duration.ofMillis(500);

    private final ObjectStore store;
    private final Retries retries;
    private final String name;
    private final Times times;
    private final String id = UUID.randomUUID().toString();
    private final AtomicLong renewals = new AtomicLong();
    private final ScheduledExecutorService renewing = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "backup-lock");
        thread.setDaemon(true);
        return thread;
    });

    /** When the store was last seen to have it. */
    private long checkedNanos = System.nanoTime();

    private ObjectLock(ObjectStore store, Retries retries, String name, Times times) {
        this.store = store;
        this.retries = retries;
        this.name = name;
        this.times = times;
    }

    /** CommandFailure if another process holds it. */
    static ObjectLock take(ObjectStore store, Retries retries, String name, Times times, String place)
            throws StoreFailure {
        ObjectLock lock = new ObjectLock(store, retries, name, times);
        for (byte[] found = lock.read(); found.length > 0 || !lock.create(); found = lock.read()) {
            if (Arrays.equals(found, lock.text())) {
                break; // The answer to its creation was lost.
            }
            if (found.length > 0 && lock.changes(found)) {
                throw CommandFailure.taken(place + " is in use by another backup ("
                        + new String(found, StandardCharsets.UTF_8)
                                .lines()
                                .findFirst()
                                .orElse("")
                        + "); wait until it has ended");
            }
            retries.run(() -> store.delete(name));
        }
        long nanos = times.renewal().toNanos();
        lock.renewing.scheduleWithFixedDelay(lock::renew, nanos, nanos, TimeUnit.NANOSECONDS);
        return lock;
    }

    /**
     * True if it may be taken. A store may have no conditions, or ignore them: if two begin at the same moment there, the one that wrote first
     * notices it at its next {@link #check}.
     */
    private boolean create() throws StoreFailure {
        try {
            return retries.call(() -> store.create(name, text()));
        } catch (StoreFailure failed) {
            if (failed.kind() != StoreFailure.Kind.UNSUPPORTED) {
                throw failed;
            }
            retries.run(() -> store.put(name, text()));
            return true;
        }
    }

    private byte[] text() {
        return ("pid " + ProcessHandle.current().pid() + " on " + host() + "\n" + id + "\n" + renewals.get() + "\n")
                .getBytes(StandardCharsets.UTF_8);
    }

    private static String host() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException nameless) {
            return "some machine";
        }
    }

    /** Nothing if there is none. */
    private byte[] read() throws StoreFailure {
        return retries.call(() -> {
            try {
                long length = store.length(name);
                return length <= 0 ? new byte[0] : store.read(name, 0, (int) length);
            } catch (StoreFailure failed) {
                if (failed.kind() == StoreFailure.Kind.ABSENT) {
                    return new byte[0];
                }
                throw failed;
            }
        });
    }

    /** True if somebody rewrites it; false if it disappears or nobody does. */
    private boolean changes(byte[] before) throws StoreFailure {
        Duration look =
                times.left().compareTo(LOOK.multipliedBy(8)) < 0 ? times.left().dividedBy(8) : LOOK;
        long end = System.nanoTime() + times.left().toNanos();
        while (System.nanoTime() - end < 0) {
            byte[] now = read();
            if (now.length == 0) {
                return false;
            }
            if (!Arrays.equals(now, before)) {
                return true;
            }
            Wait.until(() -> false, look, look);
        }
        return false;
    }

    /** Rewrites the object. If that fails, the next renewal is in time. A holder that has lost the place does not take it back. */
    private void renew() {
        try {
            if (isOurs()) {
                renewals.incrementAndGet();
                store.put(name, text());
            }
        } catch (StoreFailure missed) {
            LOG.debug("the lock of a backup could not be renewed", missed);
        }
    }

    private boolean isOurs() throws StoreFailure {
        return new String(read(), StandardCharsets.UTF_8).contains(id);
    }

    /**
     * CommandFailure if another process has taken the place, since this one was silent for too long. Asks the store once in each time of a
     * renewal.
     */
    void check(String place) throws StoreFailure {
        long now = System.nanoTime();
        if (now - checkedNanos < times.renewal().toNanos()) {
            return;
        }
        if (!isOurs()) {
            throw CommandFailure.taken("another backup has taken " + place + ", for this one could not be heard for "
                    + times.left().toSeconds() + " s. Run the same command again, which continues from there");
        }
        checkedNanos = now;
    }

    @Override
    public void close() {
        renewing.shutdown();
        try {
            if (renewing.awaitTermination(times.renewal().toNanos(), TimeUnit.NANOSECONDS) && isOurs()) {
                store.delete(name);
            }
        } catch (StoreFailure left) {
            LOG.debug("the lock of a backup counts as left after a while", left);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
