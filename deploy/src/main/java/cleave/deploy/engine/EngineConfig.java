package cleave.deploy.engine;

import cleave.deploy.role.ListenAddress;
import cleave.runtime.files.PrivateFiles;
import cleave.runtime.settings.Settings.BadSetting;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The settings of one process: those of ZooKeeper or BookKeeper under their own names, and {@code admin.listen}. Immutable.
 */
record EngineConfig(Map<String, String> settings) {
    private static final String ADMIN = "admin.listen";
    private static final Pattern METADATA = Pattern.compile("zk\\+[a-z]+://([^/]+)(/.+)");
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

    EngineConfig with(String key, String value) {
        Map<String, String> more = new TreeMap<>(settings);
        more.put(key, value);
        return new EngineConfig(more);
    }

    /** The addresses of the ZooKeeper servers that keep BookKeeper's metadata. */
    List<String> zookeepers() {
        return List.of(metadata().group(1).split("[;,]"));
    }

    /** Under which ZooKeeper node they lie. */
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

    /** Where clients reach that server. */
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

    /** Where clients reach a server: {@code HOST:PORT}. */
    static String clientAddress(String member) {
        int semicolon = member.lastIndexOf(';');
        if (semicolon < 0) {
            throw new BadSetting("server '" + member + "' must name its clients' port: HOST:2888:3888;2181");
        }
        String port = member.substring(semicolon + 1);
        return host(member) + ":" + port.substring(port.lastIndexOf(':') + 1);
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
                                    .filter(setting -> !setting.getKey().equals(ADMIN))
                                    .map(setting -> setting.getKey() + "=" + setting.getValue() + "\n")
                                    .collect(Collectors.joining()));
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
