package cleave.deploy.cluster;

import cleave.deploy.CommandFailure;
import cleave.deploy.access.DataFolder;
import cleave.runtime.files.PrivateFiles;
import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The processes and ports of a local cluster, chosen once when it is made and then kept in its folder. Immutable.
 *
 * @param counts processes of each role
 * @param ports by {@code server-1.port}, {@code server-1.admin}, {@code master-1.raft}
 * @param developmentAccount serves the account that every SDK knows, too
 */
public record Layout(
        Path dir,
        String host,
        SortedMap<NodeId.Role, Integer> counts,
        SortedMap<String, Integer> ports,
        boolean developmentAccount) {
    private static final String FILE = DataFolder.CLUSTER;
    private static final int COUNT_MAX = 99;
    /** The board listens here whatever the others listen on: it shows partition keys to everybody who reaches it. */
    private static final String LOOPBACK = "127.0.0.1";

    public Layout {
        counts = Collections.unmodifiableSortedMap(new TreeMap<>(counts));
        ports = Collections.unmodifiableSortedMap(new TreeMap<>(ports));
        for (NodeId.Role role : NodeId.Role.values()) {
            int count = counts.getOrDefault(role, 0);
            int min = isOn(DfsKind.of(counts), role) ? 1 : 0;
            if (count < min || count > COUNT_MAX) {
                throw CommandFailure.usage("a cluster has from " + min + " to " + COUNT_MAX + " processes of role "
                        + role.word() + ", not " + count);
            }
        }
    }

    /** Whether there is at least one process of the role. */
    private static boolean isOn(DfsKind dfs, NodeId.Role role) {
        return switch (role) {
            case ZOOKEEPER, BOOKIE, AUTORECOVERY -> dfs == DfsKind.BOOKKEEPER;
            case DFS -> dfs == DfsKind.STUB;
            case MASTER, SERVER, FRONT_END -> true;
            case BOARD -> false;
        };
    }

    public DfsKind dfs() {
        return DfsKind.of(counts);
    }

    private static int count(Map<NodeId.Role, Integer> counts, NodeId.Role role) {
        return counts.getOrDefault(role, 0);
    }

    static boolean exists(Path dir) {
        return Files.exists(dir.resolve(FILE));
    }

    static Layout load(Path dir) {
        Properties properties = new Properties();
        try (Reader in = Files.newBufferedReader(dir.resolve(FILE), StandardCharsets.UTF_8)) {
            properties.load(in);
        } catch (IOException unreadable) {
            throw CommandFailure.usage("there is no cluster in " + dir + " (no readable " + FILE + ")");
        }
        TreeMap<NodeId.Role, Integer> counts = new TreeMap<>();
        TreeMap<String, Integer> ports = new TreeMap<>();
        try {
            for (NodeId.Role role : NodeId.Role.values()) {
                String count = properties.getProperty("count." + role.word());
                if (count != null) {
                    counts.put(role, Integer.parseInt(count));
                }
            }
            for (String key : properties.stringPropertyNames()) {
                if (key.startsWith("port.")) {
                    ports.put(key.substring("port.".length()), Integer.parseInt(properties.getProperty(key)));
                }
            }
        } catch (NumberFormatException malformed) {
            throw CommandFailure.failed(dir.resolve(FILE) + " is malformed: " + malformed.getMessage());
        }
        return new Layout(
                dir,
                properties.getProperty("host", "127.0.0.1"),
                counts,
                ports,
                Boolean.parseBoolean(properties.getProperty("development-account")));
    }

    void save() {
        StringBuilder text = new StringBuilder("# What this cluster consists of; written once by 'cleave cluster'.\n");
        text.append("host=").append(host).append('\n');
        text.append("development-account=").append(developmentAccount).append('\n');
        counts.forEach((role, count) -> text.append("count.")
                .append(role.word())
                .append('=')
                .append(count)
                .append('\n'));
        ports.forEach((name, port) ->
                text.append("port.").append(name).append('=').append(port).append('\n'));
        try {
            PrivateFiles.makeNamed(dir);
            PrivateFiles.write(dir.resolve(FILE), text.toString());
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** All of one role. */
    public List<NodeId> nodes(NodeId.Role role) {
        List<NodeId> nodes = new ArrayList<>();
        for (int number = 1; number <= count(counts, role); number++) {
            nodes.add(new NodeId(role, number));
        }
        return nodes;
    }

    public List<NodeId> nodes() {
        List<NodeId> nodes = new ArrayList<>();
        for (NodeId.Role role : NodeId.Role.values()) {
            nodes.addAll(nodes(role));
        }
        return nodes;
    }

    NodeId node(String role, int number) {
        NodeId node = new NodeId(NodeId.Role.of(role), number);
        if (!nodes().contains(node)) {
            int count = count(counts, node.role());
            throw CommandFailure.usage("there is no " + role + " " + number + "; this cluster has "
                    + (count == 0 ? "none" : count + " of them, counted from 1"));
        }
        return node;
    }

    public Path folder(NodeId node) {
        return dir.resolve(node.toString());
    }

    /** The address at which a node serves a purpose of its role ({@code port}, {@code admin}, {@code raft}). */
    public String address(NodeId node, String purpose) {
        Integer port = ports.get(node + "." + purpose);
        if (port == null) {
            throw CommandFailure.failed(dir.resolve(FILE) + " has no port." + node + "." + purpose);
        }
        return (node.role() == NodeId.Role.BOARD ? LOOPBACK : host) + ":" + port;
    }

    public List<String> addresses(NodeId.Role role) {
        return nodes(role).stream().map(node -> address(node, "port")).toList();
    }
}
