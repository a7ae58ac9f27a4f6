package cleave.deploy.cluster;

import cleave.deploy.CommandFailure;
import cleave.deploy.role.Peers;
import cleave.runtime.files.PrivateFiles;
import cleave.runtime.tls.PeerRole;
import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The configuration of each of Cleave's own processes of a local cluster: the others' addresses, and the settings given for its role. */
public final class NodeSettings {
    /** The prefixes of each role's settings. Masters seed the balancer's; servers and front ends enforce one throttle each. */
    private static final Map<NodeId.Role, List<String>> PREFIXES = Map.of(
            NodeId.Role.DFS, List.of("dfs-node."),
            NodeId.Role.MASTER, List.of("master.", "balancer."),
            NodeId.Role.SERVER, List.of("server.", "throttle.partition-"),
            NodeId.Role.FRONT_END, List.of("front-end.", "trace.", "throttle.account-"));

    private final Layout layout;
    private final Path accounts;
    private final Map<String, String> given;

    /** @param given settings, each for the role that its key begins with */
    public NodeSettings(Layout layout, Path accounts, Map<String, String> given) {
        this.layout = layout;
        this.accounts = accounts;
        this.given = new TreeMap<>(given);
        this.given.computeIfPresent(
                Peers.TLS, (key, folder) -> Path.of(folder).toAbsolutePath().toString());
        for (String key : given.keySet()) {
            if (Stream.of(NodeId.Role.values()).noneMatch(role -> isOf(role, key))) {
                throw CommandFailure.usage("setting " + key
                        + " belongs to no role; keys are tls and insecure-network, or begin with dfs-node., master.,"
                        + " balancer., server., front-end., trace., throttle.partition- or throttle.account-");
            }
        }
    }

    private static boolean isOf(NodeId.Role role, String key) {
        return key.equals(Peers.TLS)
                || key.equals(Peers.INSECURE_NETWORK)
                || PREFIXES.getOrDefault(role, List.of()).stream().anyMatch(key::startsWith);
    }

    Path write(NodeId node) {
        return write(node, of(node));
    }

    /** Writes the node's file. */
    public Path write(NodeId node, Map<String, String> settings) {
        StringBuilder text =
                new StringBuilder("# Written by 'cleave cluster' when the cluster was made; read at each start.\n");
        settings.forEach((key, value) ->
                text.append(key).append('=').append(value.replace("\\", "\\\\")).append('\n'));
        Path file = file(layout, node);
        try {
            PrivateFiles.make(layout.folder(node));
            return PrivateFiles.write(file, text.toString());
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** The folder of certificates of a role in this cluster; null if its processes talk in the clear. */
    static @Nullable Path tls(Layout layout, PeerRole role) {
        Properties properties = new Properties();
        Path file = file(layout, layout.nodes(NodeId.Role.MASTER).get(0));
        try (Reader in = Files.newBufferedReader(file)) {
            properties.load(in);
        } catch (IOException unreadable) {
            throw CommandFailure.failed(file + " cannot be read: " + unreadable);
        }
        String folder = properties.getProperty(Peers.TLS, "");
        if (folder.isEmpty()) {
            return null;
        }
        Path own = Path.of(folder).resolveSibling(role.word());
        boolean isOfMasters = Path.of(folder).endsWith(NodeId.Role.MASTER.word());
        return isOfMasters && Files.isDirectory(own) ? own : Path.of(folder);
    }

    static Path file(Layout layout, NodeId node) {
        return layout.folder(node).resolve("config.properties");
    }

    public Map<String, String> of(NodeId node) {
        Map<String, String> settings = new TreeMap<>();
        settings.put("admin.listen", layout.address(node, "admin"));
        switch (node.role()) {
            case DFS -> dfs(node, settings);
            case MASTER -> master(node, settings);
            case SERVER -> server(node, settings);
            case FRONT_END -> frontEnd(node, settings);
            case ZOOKEEPER, BOOKIE, AUTORECOVERY, BOARD -> throw new IllegalArgumentException(node.toString());
        }
        given.forEach((key, value) -> {
            if (isOf(node.role(), key)) {
                settings.put(
                        key,
                        key.equals(Peers.TLS)
                                ? certificates(Path.of(value), node.role().word())
                                : value);
            }
        });
        return settings;
    }

    /** A folder of certificates may have one for each role, named like it. */
    private static String certificates(Path folder, String role) {
        Path own = folder.resolve(role);
        return (Files.isDirectory(own) ? own : folder).toString();
    }

    private void dfs(NodeId node, Map<String, String> settings) {
        settings.put("dfs-node.id", node.toString());
        settings.put("dfs-node.listen", layout.address(node, "port"));
        settings.put("dfs-node.dir", data(node));
    }

    private void master(NodeId node, Map<String, String> settings) {
        settings.put("master.id", node.toString());
        settings.put("master.listen", layout.address(node, "port"));
        settings.put("master.raft-listen", layout.address(node, "raft"));
        settings.put("master.dir", data(node));
        List<String> peers = layout.nodes(NodeId.Role.MASTER).stream()
                .map(peer -> peer + "=" + layout.address(peer, "raft") + "=" + layout.address(peer, "port"))
                .toList();
        settings.put("master.peers", String.join(",", peers));
        settings.put("dfs", dfs());
    }

    private void server(NodeId node, Map<String, String> settings) {
        settings.put("server.id", node.toString());
        settings.put("server.listen", layout.address(node, "port"));
        settings.put("server.dir", data(node));
        settings.put("masters", masters());
        settings.put("dfs", dfs());
    }

    private String dfs() {
        return dfs(layout);
    }

    /** The setting {@code dfs} of all roles. */
    public static String dfs(Layout layout) {
        return layout.dfs() == DfsKind.BOOKKEEPER
                ? Engine.uri(layout)
                : "dfs:" + String.join(",", layout.addresses(NodeId.Role.DFS));
    }

    private void frontEnd(NodeId node, Map<String, String> settings) {
        settings.put("front-end.listen", layout.address(node, "port"));
        settings.put("front-end.accounts", accounts.toString());
        settings.put("front-end.development-account", Boolean.toString(layout.developmentAccount()));
        settings.put("masters", masters());
        settings.put("seeds", masters() + "," + String.join(",", layout.addresses(NodeId.Role.SERVER)));
    }

    private String masters() {
        return String.join(",", layout.addresses(NodeId.Role.MASTER));
    }

    private String data(NodeId node) {
        return layout.folder(node).resolve("data").toString();
    }
}
