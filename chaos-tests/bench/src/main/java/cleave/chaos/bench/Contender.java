package cleave.chaos.bench;

import cleave.board.scrape.Metrics;
import cleave.chaos.bench.empty.EmptyChain;
import cleave.chaos.bench.empty.SignedEcho;
import cleave.chaos.bench.peer.Peer;
import cleave.chaos.load.run.TableTarget;
import cleave.chaos.load.run.Target;
import cleave.chaos.load.workload.Workload;
import cleave.chaos.process.AdminPort;
import cleave.chaos.process.BookKeeper;
import cleave.chaos.process.ChildProcess;
import cleave.chaos.process.Cluster;
import cleave.chaos.process.Consumption;
import cleave.client.Endpoint;
import cleave.client.Requests;
import cleave.deploy.CommandFailure;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A service that is compared with others. Immutable.
 *
 * @param roles its processes, by their roles, in the order of a request's way
 * @param kind the requests that it answers
 */
record Contender(String name, Target target, Map<String, List<Member>> roles, Kind kind) {
    private static final String ALLOCATED = "cleave_memory_allocated_bytes_total";

    Contender {
        roles = Collections.unmodifiableMap(new LinkedHashMap<>(roles));
    }

    enum Kind {
        TABLE_SERVICE,
        /** A store of another kind: ratios are to it. */
        PEER,
        /** Stores nothing, and has no more answers than to {@link #ANSWERED}. */
        EMPTY_CHAIN,
        /** The same, and checks signatures. */
        ECHO;

        private static final Set<String> ANSWERED = Set.of("get", "insert", "merge");

        boolean isStore() {
            return this == TABLE_SERVICE || this == PEER;
        }
    }

    /**
     * One of its processes. Immutable.
     *
     * @param admin where it reports its allocations; null: it does not
     * @param isTree true if all that descend from it belong to it
     */
    record Member(String name, long id, @Nullable AdminPort admin, boolean isTree) {
        Member(String name, long id, @Nullable AdminPort admin) {
            this(name, id, admin, false);
        }

        static Member of(ChildProcess process) {
            return new Member(process.name(), process.id(), process.admin());
        }

        private Consumption consumed() {
            return isTree ? Consumption.ofTree(id) : Consumption.of(List.of(id));
        }

        /** In bytes; NaN: it does not report them. */
        private double allocated() {
            if (admin == null) {
                return Double.NaN;
            }
            try {
                Metrics metrics = admin.metrics();
                return metrics.has(ALLOCATED) ? metrics.sum(ALLOCATED) : Double.NaN;
            } catch (IOException failed) {
                throw new UncheckedIOException(name + " does not tell what it allocated", failed);
            }
        }
    }

    static Contender of(String name, Endpoint endpoint, Member process) {
        return alone(name, tables(endpoint), process, Kind.TABLE_SERVICE);
    }

    static Contender of(Peer peer) {
        return alone(peer.title(), peer.target(), new Member(peer.title(), peer.id(), null, true), Kind.PEER);
    }

    static Contender of(String name, SignedEcho echo) {
        return alone(name, tables(echo.endpoint()), Member.of(echo.process()), Kind.ECHO);
    }

    private static Contender alone(String name, Target target, Member process, Kind kind) {
        return new Contender(name, target, Map.of("its process", List.of(process)), kind);
    }

    private static Target tables(Endpoint endpoint) {
        return new TableTarget(new Requests(endpoint));
    }

    static Contender of(String name, Cluster cluster) {
        Map<String, List<Member>> roles = new LinkedHashMap<>();
        roles.put("front end", members(cluster.frontEnds()));
        roles.put("servers", members(cluster.servers()));
        roles.put("DFS node", members(cluster.dfsNodes()));
        roles.put(
                "bookies",
                cluster.bookKeeper()
                        .map(BookKeeper::bookies)
                        .map(Contender::silent)
                        .orElse(List.of()));
        roles.put(
                "ZooKeeper",
                cluster.bookKeeper()
                        .map(BookKeeper::zookeepers)
                        .map(Contender::silent)
                        .orElse(List.of()));
        roles.put("masters", members(cluster.masters()));
        roles.values().removeIf(List::isEmpty);
        return new Contender(name, tables(cluster.endpoints().get(0)), roles, Kind.TABLE_SERVICE);
    }

    static Contender of(String name, EmptyChain chain) {
        Map<String, List<Member>> roles = new LinkedHashMap<>();
        roles.put("front end", members(List.of(chain.frontEnd())));
        roles.put("servers", members(List.of(chain.server())));
        roles.put("DFS node", members(List.of(chain.dfs())));
        return new Contender(name, tables(chain.endpoint()), roles, Kind.EMPTY_CHAIN);
    }

    private static List<Member> members(List<ChildProcess> processes) {
        return processes.stream().map(Member::of).toList();
    }

    private static List<Member> silent(List<ChildProcess> processes) {
        return processes.stream()
                .map(process -> new Member(process.name(), process.id(), null))
                .toList();
    }

    /** True if they can be profiled, one role beside the other. */
    boolean isOfRecordedProcesses() {
        return roles.size() > 1;
    }

    /** The ids of its processes that have Cleave's JVM, by their names. */
    Map<String, Long> processes() {
        Map<String, Long> processes = new LinkedHashMap<>();
        roles.values()
                .forEach(members -> members.stream()
                        .filter(member -> member.admin() != null)
                        .forEach(member -> processes.put(member.name(), member.id())));
        return processes;
    }

    boolean answers(Workload workload) {
        return kind.isStore() || Kind.ANSWERED.contains(workload.name());
    }

    /** The consumption of each role so far. Its allocations are those that it will have after one more report of them. */
    Map<String, Consumption> consumed() {
        Map<String, Double> first = allocated();
        Map<String, Double> second = allocated();
        Map<String, Consumption> consumed = new LinkedHashMap<>();
        processors().forEach((role, its) -> {
            double now = second.getOrDefault(role, Double.NaN);
            consumed.put(role, its.allocating(now + now - first.getOrDefault(role, Double.NaN)));
        });
        return consumed;
    }

    /** IllegalStateException if a process has ended. */
    Map<String, Consumption> consumedSince(Map<String, Consumption> before) {
        Map<String, Consumption> since = processors();
        requireAlive();
        Map<String, Double> allocated = allocated();
        since.replaceAll((role, its) -> its.allocating(allocated.getOrDefault(role, Double.NaN))
                .minus(before.getOrDefault(role, Consumption.NONE)));
        return since;
    }

    private Map<String, Consumption> processors() {
        Map<String, Consumption> consumed = new LinkedHashMap<>();
        roles.forEach((role, members) -> consumed.put(
                role, Consumption.sum(members.stream().map(Member::consumed).toList())));
        return consumed;
    }

    private Map<String, Double> allocated() {
        Map<String, Double> allocated = new LinkedHashMap<>();
        roles.forEach((role, members) -> allocated.put(
                role, members.stream().mapToDouble(Member::allocated).sum()));
        return allocated;
    }

    private void requireAlive() {
        roles.forEach((role, members) -> members.stream()
                .filter(member -> ProcessHandle.of(member.id()).isEmpty())
                .forEach(ended -> {
                    throw CommandFailure.failed("a process of " + name + " has ended while it was measured: " + role
                            + ", id " + ended.id() + "; look at its log, and whether the machine ran out of memory");
                }));
    }
}
