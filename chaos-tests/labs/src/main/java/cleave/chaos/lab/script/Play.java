package cleave.chaos.lab.script;

import cleave.chaos.lab.BlobStore;
import cleave.chaos.lab.LabClient;
import cleave.chaos.lab.LabRun;
import cleave.chaos.lab.partitioning.RangeWatch;
import cleave.chaos.lab.partitioning.Ranges;
import cleave.chaos.process.ChildProcess;
import cleave.chaos.process.Patience;
import cleave.deploy.terminal.Wait;
import cleave.model.Ticks;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** A script that is being played: its names and their values. Confined to the lab's thread. */
final class Play implements Closeable {
    private static final Duration LOOK = Duration.ofMillis(100);
    private static final Patience READY = Patience.ofSeconds(120);
    private static final double MILLIS_PER_SECOND = 1e3;

    private final LabRun run;
    private final Map<String, Object> values = new HashMap<>();
    private @Nullable LabClient client;
    /** For requests that are sent at once. */
    private final List<LabClient> others = new ArrayList<>();

    private @Nullable Ranges ranges;
    private @Nullable RangeWatch watch;
    /** The latest first. */
    private final Deque<AutoCloseable> resources = new ArrayDeque<>();

    /** The writes or requests of the innermost block that gathers them. */
    private List<Object> gathered = List.of();

    Play(LabRun run) {
        this.run = run;
    }

    LabRun run() {
        return run;
    }

    boolean isSmall() {
        return run.isSmall();
    }

    LabClient client() throws IOException {
        if (client == null) {
            client = closed(LabClient.open(run.endpoint()));
        }
        return client;
    }

    /** With the balancer off, from here to the end of the run. */
    Ranges ranges() {
        if (ranges == null) {
            ranges = Ranges.atRest(run);
        }
        return ranges;
    }

    /** The ranges of a table. */
    RangeWatch watched(RangeWatch ranges) {
        watch = ranges;
        return closed(ranges);
    }

    /** Waits until it is enough; if ranges are watched, they are looked at meanwhile. */
    void await(BooleanSupplier isEnough, Duration atMost) throws IOException {
        if (watch == null) {
            Wait.until(isEnough, atMost, LOOK);
        } else {
            watch.until(moment -> isEnough.getAsBoolean(), atMost);
        }
    }

    /** Is closed when the script ends. */
    <T extends AutoCloseable> T closed(T resource) {
        resources.push(resource);
        return resource;
    }

    List<String> servers() {
        return ranges().servers();
    }

    /** The sum of a metric over the living processes of the run's cluster whose names begin so. */
    double metric(String metric, String names) {
        double sum = 0;
        for (ChildProcess process : run.cluster().all()) {
            if (process.name().startsWith(names) && process.isAlive()) {
                try {
                    sum += process.admin().metrics().sum(metric);
                } catch (IOException failed) {
                    throw new IllegalArgumentException(
                            process.name() + " does not tell its metrics: " + failed, failed);
                }
            }
        }
        return sum;
    }

    void kill(String process) {
        run.progress("killing " + process);
        process(process).kill();
    }

    /** Starts a process that was killed, with more settings, and waits until it is ready. */
    void start(String name, Map<String, String> settings) {
        run.progress("starting " + name + " with " + settings);
        ChildProcess process = process(name);
        run.cluster().upgrade(process, settings);
        process.start();
        process.awaitReady(READY);
    }

    private ChildProcess process(String name) {
        List<ChildProcess> all = run.cluster().all();
        return all.stream()
                .filter(process -> process.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no '" + name + "'; there are "
                        + all.stream().map(ChildProcess::name).toList()));
    }

    /** An event of the masters' leader, by its clock. Immutable. */
    private record Told(double seconds, List<String> ranges) {}

    /** The events of a kind that the leader still has. */
    List<Told> events(String kind) {
        return run.admin().events(0).stream()
                .filter(event -> event.getKind().equals(kind))
                .map(event -> new Told(
                        Ticks.toInstant(event.getTicks()).toEpochMilli() / MILLIS_PER_SECOND, event.getRangesList()))
                .toList();
    }

    /** A use of the run's blobs. */
    interface Blobs<T> {
        T of(BlobStore store) throws IOException;
    }

    <T> T blobs(Blobs<T> use) {
        try {
            return use.of(run.blobs());
        } catch (IOException failed) {
            throw new IllegalArgumentException(String.valueOf(failed.getMessage()), failed);
        }
    }

    Object value(String name) {
        Object value = values.get(name);
        if (value == null) {
            throw new IllegalArgumentException("'" + name + "' has no value yet");
        }
        return value;
    }

    void set(String name, Object value) {
        values.put(name, value);
    }

    /** Appends to the list of that name. */
    void add(String name, Object value) {
        List<Object> longer = new ArrayList<>(Values.list(values.getOrDefault(name, List.of())));
        longer.add(value);
        values.put(name, longer);
    }

    /** Does something for each value of a list under that name. */
    <E extends Exception> void each(String name, Object list, Doing<E> doing) throws E {
        Object before = values.get(name);
        for (Object value : Values.list(list)) {
            values.put(name, value);
            doing.run();
        }
        if (before == null) {
            values.remove(name);
        } else {
            values.put(name, before);
        }
    }

    /** An action that may fail. */
    interface Doing<E extends Exception> {
        void run() throws E;
    }

    /** Gathers the writes or requests of these steps, without sending any. */
    <T> List<T> gathered(List<Step> steps, Class<T> type) throws IOException {
        List<Object> outside = gathered;
        gathered = new ArrayList<>();
        try {
            for (Step step : steps) {
                step.play(this);
            }
            return gathered.stream().map(type::cast).toList();
        } finally {
            gathered = outside;
        }
    }

    void gather(Object each) {
        gathered.add(each);
    }

    /** Sends all requests of these steps at once, each by a client of its own. */
    List<Result> together(List<Step> steps) throws IOException {
        List<Sendings.Sending> sendings = gathered(steps, Sendings.Sending.class);
        ExecutorService threads = Executors.newFixedThreadPool(Math.max(1, sendings.size()));
        try {
            List<Callable<Result>> calls = new ArrayList<>();
            for (Sendings.Sending each : sendings) {
                if (calls.size() == others.size()) {
                    others.add(closed(LabClient.open(run.endpoint())));
                }
                LabClient its = others.get(calls.size());
                calls.add(() -> each.by(its));
            }
            List<Result> results = new ArrayList<>();
            for (Future<Result> each : threads.invokeAll(calls)) {
                results.add(each.get());
            }
            return results;
        } catch (ExecutionException failed) {
            throw new IOException("of several requests at once, one failed: " + failed.getCause(), failed);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", interrupted);
        } finally {
            threads.shutdownNow();
        }
    }

    /** Closes all resources, the latest first. */
    @Override
    public void close() throws IOException {
        for (AutoCloseable each : resources) {
            try {
                each.close();
            } catch (IOException | RuntimeException failed) {
                throw failed;
            } catch (Exception other) {
                throw new IOException(other);
            }
        }
    }
}
