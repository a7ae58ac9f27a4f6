package cleave.deploy.demo;

import cleave.deploy.access.Tables;
import cleave.deploy.terminal.Progress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Writes the cities, several transactions at a time. Confined to one thread but for its workers. */
final class Loading {
    private static final int IN_FLIGHT = 8;

    private final Tables tables;
    private final String table;

    Loading(Tables tables, String table) {
        this.tables = tables;
        this.table = table;
    }

    /** The time it took. Throws the exception of the first transaction that was refused. */
    long load(List<City> cities, Progress progress) {
        List<CityBatch> batches = CityBatch.cut(cities);
        AtomicInteger written = new AtomicInteger();
        long began = System.nanoTime();
        ExecutorService workers = Executors.newFixedThreadPool(IN_FLIGHT, task -> {
            Thread thread = new Thread(task, "demo-load");
            thread.setDaemon(true);
            return thread;
        });
        try {
            List<Future<?>> pending = new ArrayList<>();
            for (CityBatch batch : batches) {
                pending.add(workers.submit(() -> {
                    batch.write(tables, table);
                    written.addAndGet(batch.cities().size());
                }));
            }
            for (Future<?> one : pending) {
                await(one);
                progress.show("loaded " + written.get() + " of " + cities.size() + " entities in " + batches.size()
                        + " transactions");
            }
        } finally {
            workers.shutdownNow();
        }
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
    }

    private static void await(Future<?> one) {
        try {
            one.get();
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw new IllegalStateException(failed.getCause());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while loading", interrupted);
        }
    }
}
