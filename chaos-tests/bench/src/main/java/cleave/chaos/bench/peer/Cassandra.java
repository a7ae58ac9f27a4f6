package cleave.chaos.bench.peer;

import cleave.chaos.load.run.Target;
import cleave.chaos.process.Patience;
import cleave.deploy.cluster.Ports;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** One node of Cassandra, which syncs each write before it answers. Confined to its owner. */
public final class Cassandra implements Peer {
    /** The versions that it supports, the better one first; on newer ones it does not start. */
    private static final List<Integer> JAVAS = List.of(17, 11);

    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final String LIBRARY = "cassandra-all-";

    /** The packages that its own scripts export and open, without those of the compiler, which a tool alone needs. */
    private static final List<String> EXPORTED = List.of(
            "java.base/jdk.internal.misc",
            "java.management.rmi/com.sun.jmx.remote.internal.rmi",
            "java.rmi/sun.rmi.registry",
            "java.rmi/sun.rmi.server",
            "java.sql/java.sql",
            "java.base/java.lang.ref",
            "jdk.unsupported/sun.misc",
            "jdk.attach/sun.tools.attach");

    private static final List<String> OPENED = List.of(
            "java.base/java.lang.module",
            "java.base/jdk.internal.loader",
            "java.base/jdk.internal.ref",
            "java.base/jdk.internal.reflect",
            "java.base/jdk.internal.math",
            "java.base/jdk.internal.module",
            "java.base/jdk.internal.util.jar",
            "jdk.management/com.sun.management.internal",
            "java.base/sun.nio.ch",
            "java.base/java.io",
            "java.base/java.nio",
            "java.base/java.lang",
            "java.base/java.lang.reflect",
            "java.base/java.util");

    private static final String LOGGING = """
            <configuration>
              <appender name="out" class="ch.qos.logback.core.ConsoleAppender">
                <encoder><pattern>%-5level %date{ISO8601} %logger{0} %msg%n</pattern></encoder>
              </appender>
              <root level="WARN"><appender-ref ref="out"/></root>
            </configuration>
            """;

    private final Ports ports;
    private final int port;
    private final String title;
    private @Nullable OtherProcess process;

    private Cassandra(Ports ports, String title) {
        this.ports = ports;
        this.port = ports.free();
        this.title = title;
    }

    /**
     * Starts it and waits until it answers; CommandFailure if its libraries or a Java that it runs on are missing, or if it does not start.
     *
     * @param folder where its data and its log are
     * @param heap such as {@code 1g}
     * @param java the home of the Java to use; null: one that is found
     */
    public static Cassandra started(Path folder, String heap, @Nullable Path java, Patience patience)
            throws IOException {
        List<Path> libraries = PeerLibraries.of(PeerKind.CASSANDRA);
        Path home = FittingJava.home("Cassandra", JAVAS, java);
        Cassandra cassandra = new Cassandra(new Ports(), "Cassandra " + version(libraries));
        boolean isReady = false;
        try {
            cassandra.start(Files.createDirectories(folder).toAbsolutePath(), heap, home, libraries, patience);
            isReady = true;
            return cassandra;
        } finally {
            if (!isReady) {
                cassandra.close();
            }
        }
    }

    private static String version(List<Path> libraries) {
        return libraries.stream()
                .map(jar -> String.valueOf(jar.getFileName()))
                .filter(name -> name.startsWith(LIBRARY))
                .map(name -> name.substring(LIBRARY.length(), name.length() - ".jar".length()))
                .findFirst()
                .orElse("of an unknown version");
    }

    private void start(Path folder, String heap, Path home, List<Path> libraries, Patience patience)
            throws IOException {
        Path settings = folder.resolve("cassandra.yaml");
        Files.writeString(settings, settings(folder, port, ports.free()));
        Path logging = folder.resolve("logback.xml");
        Files.writeString(logging, LOGGING);
        Path temporary = Files.createDirectories(folder.resolve("tmp"));
        List<String> command =
                new ArrayList<>(List.of(home.resolve("bin/java").toString(), "-Xms" + heap, "-Xmx" + heap));
        EXPORTED.forEach(name -> command.addAll(List.of("--add-exports", name + "=ALL-UNNAMED")));
        OPENED.forEach(name -> command.addAll(List.of("--add-opens", name + "=ALL-UNNAMED")));
        command.addAll(List.of(
                "-XX:+UseG1GC",
                "-Djdk.attach.allowAttachSelf=true",
                "-Dio.netty.tryReflectionSetAccessible=true",
                "-Dio.netty.allocator.useCacheForAllThreads=true",
                "-Dio.netty.allocator.maxOrder=11",
                "-Djava.io.tmpdir=" + temporary,
                "-Dlogback.configurationFile=" + logging.toUri(),
                "-Dcassandra.config=" + settings.toUri(),
                "-Dcassandra.storagedir=" + folder,
                "-Dcassandra-foreground=yes",
                "-Dcassandra.skip_wait_for_gossip_to_settle=0",
                "-Dcassandra.ring_delay_ms=0",
                "-cp",
                libraries.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator)),
                "org.apache.cassandra.service.CassandraDaemon"));
        OtherProcess started = OtherProcess.started("cassandra", folder, command);
        process = started;
        started.awaitReady(patience, () -> {
            CqlConnection.open(port, PATIENCE).close();
            return true;
        });
    }

    /**
     * What the project itself advises for new clusters, but for the commit log and for the time-outs, which are to be those of Cleave.
     */
    static String settings(Path folder, int port, int storagePort) {
        String folders = Stream.of("commitlog", "saved_caches", "hints", "cdc_raw")
                .map(name -> name + "_directory: " + quoted(folder.resolve(name)) + "\n")
                .collect(Collectors.joining());
        return """
                cluster_name: bench
                num_tokens: 1
                partitioner: org.apache.cassandra.dht.Murmur3Partitioner
                endpoint_snitch: SimpleSnitch
                listen_address: 127.0.0.1
                rpc_address: 127.0.0.1
                native_transport_port: %d
                storage_port: %d
                seed_provider:
                  - class_name: org.apache.cassandra.locator.SimpleSeedProvider
                    parameters:
                      - seeds: "127.0.0.1:%d"
                data_file_directories: [%s]
                %scommitlog_sync: batch
                paxos_variant: v2
                read_request_timeout: 30s
                range_request_timeout: 30s
                write_request_timeout: 30s
                cas_contention_timeout: 30s
                memtable:
                  configurations:
                    trie:
                      class_name: TrieMemtable
                    default:
                      inherits: trie
                memtable_allocation_type: offheap_objects
                sstable:
                  selected_format: bti
                storage_compatibility_mode: NONE
                auto_snapshot: false
                """.formatted(port, storagePort, storagePort, quoted(folder.resolve("data")), folders);
    }

    private static String quoted(Path path) {
        return "'" + path.toString().replace("'", "''") + "'";
    }

    @Override
    public String title() {
        return title;
    }

    @Override
    public long id() {
        return Objects.requireNonNull(process).id();
    }

    @Override
    public Target target() {
        return new CassandraTarget(port);
    }

    @Override
    public void close() {
        if (process != null) {
            process.close();
        }
        ports.close();
    }
}
