package cleave.chaos.lab.partitioning;

import cleave.chaos.load.SteadyLoad;
import cleave.chaos.load.run.Pace;
import cleave.client.Endpoint;
import java.util.List;
import java.util.Random;
import org.HdrHistogram.Histogram;

/**
 * Clients that request entities at a fixed rate, at random times, however long the answers take; none repeats a request.
 */
final class PacedLoad {
    private static final int CLIENTS = 16;

    private final SteadyLoad load;
    private long requestsBefore;

    private PacedLoad(SteadyLoad load) {
        this.load = load;
    }

    static PacedLoad started(List<Endpoint> frontEnds, Demand demand, double entitiesPerSecond, long seed) {
        Pace pace = Pace.steady(entitiesPerSecond / Demand.ENTITIES, new Random(seed));
        return new PacedLoad(SteadyLoad.started(frontEnds, CLIENTS, pace, demand::next, seed));
    }

    /** Sets the rate from now on. */
    void pace(double entities) {
        load.rate(entities / Demand.ENTITIES);
    }

    /** Sets the rate from now on and resets the measurements. */
    void begin(double entities) {
        requestsBefore = load.answered();
        pace(entities);
    }

    /** Number of entities in answered requests since it began. */
    long entities() {
        return (load.answered() - requestsBefore) * Demand.ENTITIES;
    }

    /** Number of requests with a wrong answer so far. */
    long failures() {
        return load.refused() + load.failed();
    }

    /** Returns when all clients have their last answers. */
    void stop() {
        load.end();
    }

    /** Some of the wrong answers. */
    List<String> errors() {
        return load.errors();
    }

    /** The latencies of answers. */
    Histogram latencies() {
        return load.latencies();
    }
}
