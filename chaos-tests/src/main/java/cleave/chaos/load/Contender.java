package cleave.chaos.load;

import cleave.chaos.client.Endpoint;
import cleave.chaos.process.BookKeeper;
import cleave.chaos.process.ChildProcess;
import cleave.chaos.process.Cluster;
import cleave.chaos.process.Consumption;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A service that is compared with others. Immutable.
 *
 * @param roles the ids of its processes, by what they do, in the order of a request's way
 */
record Contender(String name, Endpoint endpoint, Map<String, List<Long>> roles) {
    Contender {
        roles = Collections.unmodifiableMap(new LinkedHashMap<>(roles));
    }

    static Contender of(String name, Endpoint endpoint, long process) {
        return new Contender(name, endpoint, Map.of("its process", List.of(process)));
    }

    static Contender of(String name, Cluster cluster) {
        Map<String, List<Long>> roles = new LinkedHashMap<>();
        roles.put("front end", ids(cluster.frontEnds()));
        roles.put("servers", ids(cluster.servers()));
        roles.put("DFS node", ids(cluster.dfsNodes()));
        roles.put(
                "bookies",
                cluster.bookKeeper()
                        .map(BookKeeper::bookies)
                        .map(Contender::ids)
                        .orElse(List.of()));
        roles.put(
                "ZooKeeper",
                cluster.bookKeeper()
                        .map(BookKeeper::zookeepers)
                        .map(Contender::ids)
                        .orElse(List.of()));
        roles.put("masters", ids(cluster.masters()));
        roles.values().removeIf(List::isEmpty);
        return new Contender(name, cluster.endpoints().get(0), roles);
    }

    private static List<Long> ids(List<ChildProcess> processes) {
        return processes.stream().map(ChildProcess::id).toList();
    }

    /** What each role has consumed so far. */
    Map<String, Consumption> consumed() {
        Map<String, Consumption> consumed = new LinkedHashMap<>();
        roles.forEach((role, processes) -> consumed.put(role, Consumption.of(processes)));
        return consumed;
    }

    /** IllegalStateException if a process has ended. */
    Map<String, Consumption> consumedSince(Map<String, Consumption> before) {
        Map<String, Consumption> since = new LinkedHashMap<>();
        consumed().forEach((role, its) -> since.put(role, its.minus(before.getOrDefault(role, Consumption.NONE))));
        roles.forEach((role, processes) -> processes.stream()
                .filter(process -> ProcessHandle.of(process).isEmpty())
                .forEach(ended -> {
                    throw new IllegalStateException("a process of " + name + " has ended: " + role + ", id " + ended);
                }));
        return since;
    }
}
