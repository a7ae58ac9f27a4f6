package cleave.chaos.load.run;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;

/** The threads of a load, one for each client. Thread-safe. */
public final class Clients {
    private final AtomicInteger running;
    private final List<Thread> threads = new ArrayList<>();
    private volatile long endedNanos;

    private Clients(int count) {
        this.running = new AtomicInteger(count);
    }

    /**
     * Starts them.
     *
     * @param name of their threads, which also have a number
     * @param client is called with each number from 0, and returns when the client has ended
     */
    public static Clients started(int count, String name, IntConsumer client) {
        Clients clients = new Clients(count);
        for (int i = 0; i < count; i++) {
            int number = i;
            Thread thread = new Thread(() -> clients.run(client, number), name + "-" + number);
            thread.setDaemon(true);
            clients.threads.add(thread);
        }
        clients.threads.forEach(Thread::start);
        return clients;
    }

    private void run(IntConsumer client, int number) {
        try {
            client.accept(number);
        } finally {
            if (running.decrementAndGet() == 0) {
                endedNanos = System.nanoTime();
            }
        }
    }

    public boolean isRunning() {
        return running.get() > 0;
    }

    /** Now by {@link System#nanoTime}, or when the last client ended. */
    public long nowOrEnd() {
        return isRunning() || endedNanos == 0 ? System.nanoTime() : endedNanos;
    }

    /** Waits until all of them have ended. */
    public void join() {
        for (Thread thread : threads) {
            try {
                thread.join();
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted while a load ended", interrupted);
            }
        }
    }
}
