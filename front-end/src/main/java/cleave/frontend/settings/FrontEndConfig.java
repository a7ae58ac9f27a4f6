package cleave.frontend.settings;

import cleave.runtime.rpc.Address;
import cleave.runtime.settings.ProcessFiles;
import cleave.runtime.settings.Settings;
import cleave.runtime.settings.Settings.BadSetting;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of a front end. Immutable.
 *
 * @param listen where it serves HTTP; null when it does not
 * @param tls how it serves HTTPS; null when it does not
 * @param loops event loops; each has its own connections, range client and memory of tables
 * @param accountsFile lines of {@code name=key} and of options, see {@link cleave.frontend.protocol.auth.Accounts#parse}; null when there is none
 * @param developmentAccount serves the account that every SDK knows, too
 * @param hostSuffixes hosts that end with one of these carry the account in their first label
 * @param masters addresses of the masters, for creating and deleting tables
 * @param seeds addresses that serve the partition map
 * @param mapSilenceNanos a front end that was connected to no seed for this long is not ready
 * @param drainNanos how long a front end that is to end serves on, so that load balancers notice that it is not ready
 * @param slowNanos a request that takes longer is logged, with where its time went
 * @param accountEntitiesPerSecond rate limit of one account at this front end, independently of others; 0: none
 * @param traces which traces of requests are exported; null if none are
 */
public record FrontEndConfig(
        @Nullable Listen listen,
        @Nullable Tls tls,
        int loops,
        @Nullable String accountsFile,
        boolean developmentAccount,
        List<String> hostSuffixes,
        List<String> masters,
        List<String> seeds,
        long mapSilenceNanos,
        long drainNanos,
        long slowNanos,
        HttpLimits http,
        RequestLimits requests,
        int accountEntitiesPerSecond,
        TokenSettings tokens,
        @Nullable TraceSettings traces) {
    private static final long DRAIN_NANOS_MAX = 3_600_000_000_000L;
    private static final long AGE_NANOS_MIN = 1_000_000_000L;
    /** With fewer, a front end is of no use. */
    private static final int CONNECTIONS_MIN = 16;

    public FrontEndConfig {
        hostSuffixes = List.copyOf(hostSuffixes);
        masters = List.copyOf(masters);
        seeds = List.copyOf(seeds);
        if (listen == null && tls == null) {
            throw new BadSetting("front-end.listen is none, so front-end.listen-tls must be set");
        }
        if (accountsFile == null && !developmentAccount) {
            throw new BadSetting("a front end needs accounts: set front-end.accounts=FILE (lines of name=key)"
                    + " or front-end.development-account=true");
        }
        if (seeds.isEmpty()) {
            throw new BadSetting("a front end needs seeds to fetch the partition map from: set seeds or masters");
        }
        masters.forEach(address -> Address.check("masters", address));
        seeds.forEach(address -> Address.check("seeds", address));
        if (drainNanos > DRAIN_NANOS_MAX) {
            throw new BadSetting("setting front-end.drain-time must be at most 1h");
        }
        if (requests.timeoutNanos() < requests.pageNanos()) {
            throw new BadSetting("front-end.page-time must not exceed front-end.request-timeout");
        }
    }

    /**
     * Where the front end listens.
     *
     * @param port 0 lets the system choose
     */
    public record Listen(String host, int port) {
        static Listen parse(String key, String text) {
            int colon = text.lastIndexOf(':');
            try {
                int port = Integer.parseInt(text.substring(colon + 1));
                if (colon > 0 && port >= 0 && port <= 65_535) {
                    return new Listen(text.substring(0, colon), port);
                }
            } catch (NumberFormatException notAPort) {
                // Answered below, together with one out of bounds.
            }
            throw new BadSetting("setting " + key + " is '" + text + "' but must be host:port");
        }

        @Override
        public String toString() {
            return host + ":" + port;
        }
    }

    /**
     * HTTPS.
     *
     * @param dir holds {@code tls.crt} and {@code tls.key}
     */
    public record Tls(Listen listen, Path dir) {}

    /**
     * The limits of one client of the HTTP server.
     *
     * @param requestLineBytes a key of 512 characters of three bytes each, percent-encoded, must fit
     * @param idleNanos from the beginning of a connection, or the end of an answer, until the next whole request head
     * @param ageNanos the greatest age of a connection, after which its next answer is its last; 0: none
     * @param headNanos from the first byte of a request's head until its end
     * @param bodyNanos from a request's head until the end of its body
     * @param answerNanos for the client to take an answer
     * @param connectionsMax of the whole front end
     * @param closeNanos for requests in flight when the front end is closed
     */
    public record HttpLimits(
            int requestLineBytes,
            int headerBytes,
            int bodyBytes,
            long idleNanos,
            long ageNanos,
            long headNanos,
            long bodyNanos,
            long answerNanos,
            int connectionsMax,
            long closeNanos) {
        public HttpLimits {
            if (ageNanos != 0 && ageNanos < AGE_NANOS_MIN) {
                throw new BadSetting("setting front-end.connection-age must be 0 (none) or at least 1s:"
                        + " each new connection costs a handshake");
            }
        }
    }

    /**
     * The limits of requests, of one and of all together.
     *
     * @param timeoutNanos the deadline of a request that names none, and the latest that one may name
     * @param pageNanos a query's page ends after this time
     * @param pageBytes a query's page ends when it holds this much
     * @param tableNanos how long what was read in the registry of tables is trusted
     * @param tablesMax how many tables a loop remembers
     * @param inFlightMax more are answered ServerBusy
     * @param heldBytesMax of requests with their bodies, pages in the making and answers not taken; while there are more, requests are
     *     answered ServerBusy
     */
    public record RequestLimits(
            long timeoutNanos,
            long pageNanos,
            long pageBytes,
            long tableNanos,
            int tablesMax,
            int inFlightMax,
            long heldBytesMax) {
        private static final long UNSIGNED_BYTES_MIN = 1 << 20;

        /** The bytes of connections that have shown no signature; a head of the largest size fits in any case. */
        public long unsignedBytesMax() {
            return Math.max(UNSIGNED_BYTES_MIN, MemoryBudget.unsigned(heldBytesMax));
        }

        /** The share of one of several loops, if these are the limits of all. */
        public RequestLimits ofOneIn(int loops) {
            return new RequestLimits(
                    timeoutNanos,
                    pageNanos,
                    pageBytes,
                    tableNanos,
                    tablesMax,
                    Math.max(1, (inFlightMax + loops - 1) / loops),
                    Math.max(1, (heldBytesMax + loops - 1) / loops));
        }
    }

    /** Reads the keys of this role; unknown ones are the command's to refuse. */
    public static FrontEndConfig from(Settings settings) {
        return from(settings, Runtime.getRuntime().maxMemory(), ProcessFiles.limit());
    }

    /**
     * @param heapBytes the most that the heap of the role's process grows to
     * @param files that the process may have open, but for those of stores
     */
    public static FrontEndConfig from(Settings settings, long heapBytes, long files) {
        MemoryBudget memory = budget(settings, heapBytes, ProcessFiles.connections(files));
        String accountsFile = settings.path("front-end.accounts", "").toString();
        List<String> masters = settings.list("masters", "");
        List<String> seeds = settings.list("seeds", "");
        List<String> hostSuffixes = settings.list("front-end.host-suffixes", "table.core.windows.net");
        return new FrontEndConfig(
                plain(settings),
                tls(settings),
                settings.count("front-end.loops", Runtime.getRuntime().availableProcessors(), 1, 256),
                accountsFile.isEmpty() ? null : accountsFile,
                settings.flag("front-end.development-account", false),
                hostSuffixes,
                masters,
                seeds.isEmpty() ? masters : seeds,
                settings.nanos("front-end.map-silence", "5s"),
                settings.nanos("front-end.drain-time", "0"),
                settings.nanos("front-end.slow-request", "1s"),
                new HttpLimits(
                        bytes(settings, "front-end.request-line-bytes", "32KiB"),
                        bytes(settings, "front-end.header-bytes", "64KiB"),
                        bytes(settings, "front-end.body-bytes", "4MiB"),
                        settings.nanos("front-end.idle-timeout", "2m"),
                        settings.nanos("front-end.connection-age", "0"),
                        settings.nanos("front-end.head-timeout", "10s"),
                        settings.nanos("front-end.body-timeout", "30s"),
                        settings.nanos("front-end.answer-timeout", "1m"),
                        (int) memory.connections(),
                        settings.nanos("front-end.close-timeout", "10s")),
                new RequestLimits(
                        settings.nanos("front-end.request-timeout", "30s"),
                        settings.nanos("front-end.page-time", "5s"),
                        bytes(settings, "front-end.page-bytes", "4MiB"),
                        settings.nanos("front-end.table-memory", "30s"),
                        settings.count("front-end.tables-remembered", 10_000, 1, 10_000_000),
                        settings.count("front-end.requests-in-flight", 4_096, 1, 1_000_000),
                        memory.bytesInFlight()),
                settings.count("throttle.account-entities-per-second", 0, 0, 1_000_000_000),
                TokenSettings.from(settings, hostSuffixes),
                TraceSettings.from(settings));
    }

    /** @param connectionsMax what the limit of open files leaves */
    private static MemoryBudget budget(Settings settings, long heapBytes, long connectionsMax) {
        long bytes = settings.bytes(
                "front-end.bytes-in-flight",
                Long.toString(MemoryBudget.fitting(heapBytes).bytesInFlight()));
        int connections = settings.count(
                "front-end.connections",
                (int) Math.min(
                        Math.max(CONNECTIONS_MIN, connectionsMax),
                        MemoryBudget.withBytes(heapBytes, bytes).connections()),
                1,
                1_000_000);
        if (connections > connectionsMax) {
            throw new BadSetting(
                    "front-end.connections=" + connections + " exceeds what the process's limit of open files leaves"
                            + " for connections of clients, which is " + Math.max(0, connectionsMax)
                            + ": raise the limit (ulimit -n, LimitNOFILE)"
                            + (connections > CONNECTIONS_MIN ? ", or lower the setting" : ""));
        }
        MemoryBudget memory = new MemoryBudget(heapBytes, connections, bytes);
        memory.check();
        return memory;
    }

    private static @Nullable Listen plain(Settings settings) {
        String listen = settings.text("front-end.listen", "127.0.0.1:10002");
        return listen.equals("none") ? null : Listen.parse("front-end.listen", listen);
    }

    private static @Nullable Tls tls(Settings settings) {
        String listen = settings.text("front-end.listen-tls", "");
        String dir = settings.path("front-end.tls-dir", "").toString();
        if (listen.isEmpty() != dir.isEmpty()) {
            throw new BadSetting("front-end.listen-tls=host:port and front-end.tls-dir=DIR (with tls.crt and tls.key)"
                    + " must be set together; only one is set");
        }
        return listen.isEmpty() ? null : new Tls(Listen.parse("front-end.listen-tls", listen), Path.of(dir));
    }

    private static int bytes(Settings settings, String key, String byDefault) {
        long bytes = settings.bytes(key, byDefault);
        if (bytes < 1 << 10 || bytes > 1 << 30) {
            throw new BadSetting("setting " + key + " is " + bytes + " bytes but must be from 1KiB to 1GiB");
        }
        return (int) bytes;
    }
}
