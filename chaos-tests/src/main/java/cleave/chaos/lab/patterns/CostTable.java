package cleave.chaos.lab.patterns;

import cleave.chaos.lab.Cost;
import cleave.chaos.lab.LabClient;
import cleave.chaos.lab.LabRun;
import cleave.chaos.picture.Chart;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;

/** What ways to the same end cost, side by side. Confined to the lab's thread. */
final class CostTable {
    private final LabClient client;
    private final Map<String, Cost> costs = new LinkedHashMap<>();

    CostTable(LabClient client) {
        this.client = client;
    }

    /** Does the work, and keeps what it cost under a name. */
    Cost measure(String way, LabClient.Work work) throws IOException {
        Cost cost = client.measure(work);
        costs.put(way, cost);
        return cost;
    }

    /** Prints all ways, and draws what tells them apart. */
    void report(LabRun run, String caption, String unit, ToLongFunction<Cost> drawn) {
        List<List<String>> rows = new ArrayList<>();
        List<Double> bars = new ArrayList<>();
        costs.forEach((way, cost) -> {
            rows.add(List.of(
                    way,
                    Figures.of(cost.roundTrips()),
                    Figures.of(cost.examined()),
                    Figures.of(cost.returned()),
                    Figures.of(cost.received())));
            bars.add((double) drawn.applyAsLong(cost));
        });
        run.table(caption, List.of("", "round trips", "entities examined", "returned", "bytes received"), rows);
        run.draw(Chart.bars(caption, unit, "way", List.copyOf(costs.keySet()), List.of(Chart.values(unit, bars))));
    }
}
