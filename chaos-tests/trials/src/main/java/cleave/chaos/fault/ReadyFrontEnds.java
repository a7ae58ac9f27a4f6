package cleave.chaos.fault;

import cleave.chaos.process.ChildProcess;
import cleave.chaos.process.Cluster;
import cleave.client.Endpoint;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Spreads new connections over the ready front ends, like a load balancer or a Kubernetes Service: it probes each one
 * five times a second and notices a change only then. Thread-safe.
 */
final class ReadyFrontEnds implements FrontEnds, AutoCloseable {
    private static final Duration PERIOD = Duration.ofMillis(200);

    private final List<Endpoint> endpoints;
    private final List<ChildProcess> processes;
    private final AtomicInteger turn = new AtomicInteger();
    private final Thread prober = new Thread(this::probe, "front-end prober");
    private volatile List<Endpoint> ready;
    private volatile boolean closed;

    ReadyFrontEnds(Cluster cluster) {
        endpoints = cluster.endpoints();
        processes = cluster.frontEnds();
        ready = endpoints;
        prober.setDaemon(true);
        prober.start();
    }

    @Override
    public Endpoint next() throws IOException {
        List<Endpoint> now = ready;
        if (now.isEmpty()) {
            throw new IOException("no front end is ready");
        }
        return now.get(Math.floorMod(turn.getAndIncrement(), now.size()));
    }

    /** The front end gets no new connection until the next probe. */
    @Override
    public void failed(Endpoint endpoint) {
        List<Endpoint> others =
                ready.stream().filter(each -> !each.equals(endpoint)).toList();
        if (!others.isEmpty()) {
            ready = others;
        }
    }

    private void probe() {
        while (!closed) {
            List<Endpoint> found = new ArrayList<>();
            for (int i = 0; i < endpoints.size(); i++) {
                if (isReady(processes.get(i))) {
                    found.add(endpoints.get(i));
                }
            }
            ready = List.copyOf(found);
            LockSupport.parkNanos(PERIOD.toNanos());
        }
    }

    private static boolean isReady(ChildProcess frontEnd) {
        try {
            return frontEnd.admin().isReady();
        } catch (IOException silent) {
            return false;
        }
    }

    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(prober);
    }
}
