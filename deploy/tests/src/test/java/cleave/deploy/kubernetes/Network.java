package cleave.deploy.kubernetes;

import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyEgressRule;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyIngressRule;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyPeer;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyPort;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiPredicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The connections between the pods of a namespace: those that its policies permit, and those that are needed. Stateless. */
final class Network {
    private static final Pattern ROW = Pattern.compile("\\| `(\\w+)/\\w+` \\| ([a-z, -]+) \\|");
    private static final Map<String, List<String>> SERVERS_OF = Map.of(
            "Admin", List.of("master:10100"),
            "Master", List.of("master:10100"),
            "MasterGroup", List.of("master:10100"),
            "MapWatch", List.of("master:10100", "server:10300"),
            "Ranges", List.of("server:10300"),
            "DfsStub", List.of("dfs:10500", "zookeeper:2181", "bookie:3181"));

    /** Where there is a board, it reads all admin ports, too. */
    private static final String VIEWER = "viewer";

    private Network() {}

    /** Connections between the processes of BookKeeper, and of ZooKeeper. */
    private static final Set<String> ENGINE = Set.of(
            "autorecovery -> bookie:3181",
            "autorecovery -> zookeeper:2181",
            "bookie -> zookeeper:2181",
            "format -> zookeeper:2181",
            "zookeeper -> zookeeper:2181",
            "zookeeper -> zookeeper:2888",
            "zookeeper -> zookeeper:3888");

    /**
     * The edges of the table of permissions between the roles, which a test keeps like the code, and of Raft. Callers of the DFS node call
     * ZooKeeper and bookies where those stand in its place.
     */
    static Set<String> needed(Manifests manifests) throws IOException {
        TreeSet<String> edges = new TreeSet<>(List.of("master -> master:10101"));
        Set<String> serving =
                Workload.serving(manifests).stream().map(Workload::component).collect(Collectors.toSet());
        if (serving.contains("bookie")) {
            edges.addAll(ENGINE);
        }
        boolean isViewed = Workload.all(manifests).stream()
                .anyMatch(workload -> workload.caller().equals(VIEWER));
        if (isViewed) {
            edges.add(VIEWER + " -> master:10100");
            serving.forEach(component -> edges.add(VIEWER + " -> " + component + ":10900"));
        }
        for (String line : Files.readAllLines(Path.of("..", "..", "docs", "securing.md"))) {
            Matcher row = ROW.matcher(line);
            if (row.matches()) {
                for (String caller : row.group(2).split(", ")) {
                    SERVERS_OF.get(row.group(1)).stream()
                            .filter(server -> isViewed || !caller.equals(VIEWER))
                            .filter(server -> serving.contains(server.split(":", 2)[0]))
                            .forEach(server -> edges.add(caller + " -> " + server));
                }
            }
        }
        return edges;
    }

    /** Edges that both ends permit. */
    static Set<String> permitted(Manifests manifests) {
        TreeSet<String> edges = new TreeSet<>();
        for (Workload from : Workload.all(manifests)) {
            for (Workload to : Workload.serving(manifests)) {
                to.container().getPorts().forEach(port -> {
                    if (leaves(manifests, from, to, port.getContainerPort())
                            && enters(manifests, from, to, port.getContainerPort())) {
                        edges.add(from.caller() + " -> " + to.component() + ":" + port.getContainerPort());
                    }
                });
            }
        }
        return edges;
    }

    /** Edges that a workload's own policies permit, regardless of the other end's policies. */
    static Set<String> leaving(Manifests manifests, Workload from) {
        TreeSet<String> edges = new TreeSet<>();
        for (Workload to : Workload.serving(manifests)) {
            to.container().getPorts().stream()
                    .map(port -> port.getContainerPort())
                    .filter(port -> leaves(manifests, from, to, port))
                    .forEach(port -> edges.add(to.component() + ":" + port));
        }
        return edges;
    }

    /** Ports of a role that anyone may connect to. */
    static Set<String> open(Manifests manifests) {
        TreeSet<String> open = new TreeSet<>();
        for (Workload to : Workload.serving(manifests)) {
            policies(manifests, to, "Ingress").stream()
                    .flatMap(policy -> policy.getSpec().getIngress().stream())
                    .filter(rule -> rule.getFrom().isEmpty())
                    .flatMap(rule -> rule.getPorts().stream())
                    .forEach(port ->
                            open.add(to.component() + ":" + port.getPort().getIntVal()));
        }
        return open;
    }

    /** True if nothing is permitted to pods that no other policy selects. */
    static boolean deniesTheRest(Manifests manifests) {
        return manifests.all(NetworkPolicy.class).stream()
                .anyMatch(policy ->
                        policy.getSpec().getPodSelector().getMatchLabels().isEmpty()
                                && policy.getSpec()
                                        .getPodSelector()
                                        .getMatchExpressions()
                                        .isEmpty()
                                && policy.getSpec().getPolicyTypes().containsAll(List.of("Ingress", "Egress"))
                                && policy.getSpec().getIngress().isEmpty()
                                && policy.getSpec().getEgress().isEmpty());
    }

    private static boolean leaves(Manifests manifests, Workload from, Workload to, int port) {
        BiPredicate<NetworkPolicyEgressRule, Integer> permits =
                (rule, number) -> has(rule.getPorts(), number) && (rule.getTo().isEmpty() || isAmong(rule.getTo(), to));
        return policies(manifests, from, "Egress").stream()
                .flatMap(policy -> policy.getSpec().getEgress().stream())
                .anyMatch(rule -> permits.test(rule, port));
    }

    private static boolean enters(Manifests manifests, Workload from, Workload to, int port) {
        BiPredicate<NetworkPolicyIngressRule, Integer> permits =
                (rule, number) -> has(rule.getPorts(), number) && isAmong(rule.getFrom(), from);
        return policies(manifests, to, "Ingress").stream()
                .flatMap(policy -> policy.getSpec().getIngress().stream())
                .anyMatch(rule -> permits.test(rule, port));
    }

    private static List<NetworkPolicy> policies(Manifests manifests, Workload workload, String type) {
        return manifests.all(NetworkPolicy.class).stream()
                .filter(policy -> policy.getSpec().getPolicyTypes().contains(type)
                        && matches(policy.getSpec().getPodSelector(), workload))
                .toList();
    }

    private static boolean has(List<NetworkPolicyPort> ports, int port) {
        return ports.isEmpty()
                || ports.stream()
                        .map(NetworkPolicyPort::getPort)
                        .map(IntOrString::getIntVal)
                        .anyMatch(number -> Objects.equals(number, port));
    }

    private static boolean isAmong(List<NetworkPolicyPeer> peers, Workload workload) {
        return peers.stream()
                .anyMatch(peer -> peer.getPodSelector() != null
                        && peer.getNamespaceSelector() == null
                        && matches(peer.getPodSelector(), workload));
    }

    private static boolean matches(LabelSelector selector, Workload workload) {
        return workload.labels()
                        .entrySet()
                        .containsAll(selector.getMatchLabels().entrySet())
                && selector.getMatchExpressions().stream()
                        .allMatch(expression -> expression.getOperator().equals("In")
                                && expression
                                        .getValues()
                                        .contains(workload.labels().get(expression.getKey())));
    }
}
