package cleave.deploy.engine;

import cleave.deploy.role.ListenAddress;
import cleave.runtime.files.PrivateFiles;
import cleave.runtime.settings.Settings.BadSetting;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The settings of one process: those of ZooKeeper or BookKeeper under their own names, {@code admin.listen}, and {@code tls}, the folder of
 * its certificates, and {@code zone}, of a bookie's disk. Immutable.
 */
record EngineConfig(Map<String, String> settings) {
    private static final String ADMIN = "admin.listen";
    private static final String TLS = "tls";
    private static final String ZONE = "zone";
    private static final String STATS = "statsProviderClass";
    /** Settings with which a server of ZooKeeper would take clients in the clear. */
    private static final List<String> CLEAR_PORTS = List.of("clientPort", "clientPortAddress");

    private static final Pattern METADATA = Pattern.compile("zk\\+[a-z]+://([^/]+)(/.+)");
    private static final Set<String> OWN = Set.of(ADMIN, TLS, ZONE);
    private static final Pattern MEMBER = Pattern.compile("server\\.(\\d+)");

    EngineConfig {
        settings = Map.copyOf(settings);
    }

    ListenAddress admin() {
        return ListenAddress.parse(ADMIN, settings.getOrDefault(ADMIN, "127.0.0.1:0"));
    }

    String text(String key) {
        String value = settings.get(key);
        if (value == null || value.isEmpty()) {
            throw new BadSetting("setting " + key + " is missing");
        }
        return value;
    }

    /** The folder of certificates; null if the process talks in the clear. */
    @Nullable
    Path tls() {
        String folder = settings.getOrDefault(TLS, "");
        return folder.isEmpty() ? null : Path.of(folder);
    }

    /** The zone in which the bookie's disk is; empty if it is not known. BadSetting if no zone can be called so. */
    String zone() {
        return BookieZone.check(settings.getOrDefault(ZONE, "").strip());
    }

    /** The same for a program of BookKeeper, with its metrics in Prometheus' default registry unless the settings name another provider. */
    EngineConfig withMetrics() {
        return settings.containsKey(STATS) ? this : with(STATS, "cleave.dfs.bookkeeper.BookieMetrics");
    }

    EngineConfig with(String key, String value) {
        return with(Map.of(key, value));
    }

    EngineConfig with(Map<String, String> others) {
        Map<String, String> more = new TreeMap<>(settings);
        more.putAll(others);
        return new EngineConfig(more);
    }

    /** The same for a server of ZooKeeper, but the port that {@code server.N} gives for clients takes TLS. */
    EngineConfig withSecureClients(int number) {
        CLEAR_PORTS.stream().filter(settings::containsKey).findFirst().ifPresent(clear -> {
            throw new BadSetting("setting " + clear + " would take clients in the clear, and tls is set: remove it");
        });
        Map<String, String> secure = new TreeMap<>(settings);
        members().forEach((member, value) -> secure.put("server." + member, value.substring(0, clientPart(value))));
        String own = String.valueOf(members().get(number));
        String clients = own.substring(clientPart(own) + 1);
        int colon = clients.lastIndexOf(':');
        secure.put("secureClientPort", clients.substring(colon + 1));
        if (colon > 0) {
            secure.put("secureClientPortAddress", clients.substring(0, colon));
        }
        return new EngineConfig(secure);
    }

    /** The addresses of the ZooKeeper servers that keep BookKeeper's metadata. */
    List<String> zookeepers() {
        return List.of(metadata().group(1).split("[;,]"));
    }

    /** The ZooKeeper node of the ledgers. */
    String ledgers() {
        return metadata().group(2);
    }

    private Matcher metadata() {
        Matcher matcher = METADATA.matcher(text("metadataServiceUri"));
        if (!matcher.matches()) {
            throw new BadSetting("setting metadataServiceUri is '" + text("metadataServiceUri")
                    + "' but must be zk+longhierarchical://HOST:PORT;HOST:PORT/ledgers");
        }
        return matcher;
    }

    /** The folders that a bookie's journal and ledgers lie in, which together are its disk. */
    List<Path> bookieFolders() {
        return Stream.of("journalDirectories", "ledgerDirectories")
                .flatMap(key -> Stream.of(text(key).split(",")))
                .map(folder -> {
                    Path parent = Path.of(folder.strip()).getParent();
                    if (parent == null) {
                        throw new BadSetting("the folder " + folder + " must lie in one of the bookie's own");
                    }
                    return parent;
                })
                .distinct()
                .toList();
    }

    /** In bytes; the cache is kept once for each folder of ledgers. */
    long rocksBytes() {
        return Long.parseLong(settings.getOrDefault("dbStorage_rocksDB_blockCacheSize", "0"))
                * settings.getOrDefault("ledgerDirectories", "").split(",").length;
    }

    /** The servers of an ensemble by their numbers, as {@code HOST:PORT:PORT;PORT}. */
    Map<Integer, String> members() {
        Map<Integer, String> members = new TreeMap<>();
        settings.forEach((key, value) -> {
            Matcher member = MEMBER.matcher(key);
            if (member.matches()) {
                members.put(Integer.parseInt(member.group(1)), value);
            }
        });
        return members;
    }

    /** The number of the server whose host's name, up to the first dot, is this one. */
    int member(String name) {
        return server(name).getKey();
    }

    /** The address at which clients reach that server. */
    String addressOf(String name) {
        return clientAddress(server(name).getValue());
    }

    private Map.Entry<Integer, String> server(String name) {
        return members().entrySet().stream()
                .filter(member -> host(member.getValue()).split("\\.", 2)[0].equals(name))
                .findFirst()
                .orElseThrow(() -> new BadSetting("no setting server.N names a host " + name + ": "
                        + members().values()));
    }

    /** The address at which clients reach a server: {@code HOST:PORT}. */
    static String clientAddress(String member) {
        String port = member.substring(clientPart(member) + 1);
        return host(member) + ":" + port.substring(port.lastIndexOf(':') + 1);
    }

    /** The index at which the part of a server for clients begins, with its semicolon. */
    private static int clientPart(String member) {
        int semicolon = member.lastIndexOf(';');
        if (semicolon < 0) {
            throw new BadSetting("server '" + member + "' must name its clients' port: HOST:2888:3888;2181");
        }
        return semicolon;
    }

    private static String host(String member) {
        return member.substring(0, Math.max(0, member.indexOf(':')));
    }

    /** Writes them for a program, which knows its own settings only. */
    Path write(Path file) {
        try {
            return PrivateFiles.write(
                    file,
                    new TreeMap<>(settings)
                            .entrySet().stream()
                                    .filter(setting -> !OWN.contains(setting.getKey()))
                                    .map(setting -> setting.getKey() + "=" + setting.getValue() + "\n")
                                    .collect(Collectors.joining()));
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
