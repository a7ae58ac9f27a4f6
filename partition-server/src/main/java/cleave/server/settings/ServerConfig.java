package cleave.server.settings;

import cleave.runtime.rpc.Address;
import cleave.runtime.rpc.Advertised;
import cleave.runtime.rpc.NetworkLoops;
import cleave.runtime.settings.ProcessMemory;
import cleave.runtime.settings.Settings;
import cleave.runtime.settings.Settings.BadSetting;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The configuration of a partition server. Immutable.
 *
 * @param id the server's own, the same over restarts; no two servers have the same
 * @param listen where its gRPC services listen: {@code host:port} or {@code inproc:NAME}; port 0: the system chooses
 * @param advertise the address that others reach it at, never a wildcard; port 0: the one that it gets
 * @param dir for its stores, wiped at each start, and for the files of checkpoints, which outlive them
 * @param masters addresses of the masters
 * @param seeds addresses that serve the map
 * @param loops threads that run ranges and receive their requests
 * @param readers threads that run scans
 * @param heartbeatNanos from one heartbeat to the next
 * @param blockCacheBytes of all stores together
 * @param writeBufferBytes of all stores together, within the block cache
 * @param transfers checkpoints that are brought to the DFS at the same time; as many stores are opened, and their checkpoints fetched
 * @param spaceReserveBytes with less than that free on the disk of {@code dir} the server gets no more ranges; 0: it always does
 */
public record ServerConfig(
        String id,
        String listen,
        String advertise,
        Path dir,
        List<String> masters,
        List<String> seeds,
        int loops,
        int readers,
        long heartbeatNanos,
        long blockCacheBytes,
        long writeBufferBytes,
        int transfers,
        long spaceReserveBytes,
        RangeSettings ranges,
        ScrubSettings scrub) {
    /** The default of {@code server.listen}. */
    public static final String LISTEN = "127.0.0.1:0";

    /** No dot, so that a file's name shows where its server's id ends and the incarnation begins. */
    private static final Pattern ID = Pattern.compile("[A-Za-z0-9_-]{1,100}");

    public ServerConfig {
        masters = List.copyOf(masters);
        seeds = List.copyOf(seeds);
        if (!ID.matcher(id).matches()) {
            throw new BadSetting("setting server.id is '" + id + "' but must be 1 to 100 letters, digits, - and _");
        }
        if (masters.isEmpty()) {
            throw new BadSetting("setting masters is empty; give the masters' addresses, separated by commas");
        }
        masters.forEach(address -> Address.check("masters", address));
        seeds.forEach(address -> Address.check("seeds", address));
        if (writeBufferBytes > blockCacheBytes) {
            throw new BadSetting(
                    "setting server.write-buffer must not exceed server.block-cache, of which it is a part");
        }
        if (heartbeatNanos <= 0) {
            throw new BadSetting("setting server.heartbeat must be above 0");
        }
    }

    public static ServerConfig from(Settings settings) {
        long memory = ProcessMemory.limitBytes();
        String masters = settings.text("masters");
        String listen = Address.check("server.listen", settings.text("server.listen", LISTEN));
        String advertise = settings.text("server.advertise", "");
        return new ServerConfig(
                settings.text("server.id"),
                listen,
                advertise.isEmpty()
                        ? Advertised.of(
                                "server.listen", listen, "server.advertise to the HOST:PORT that others can use")
                        : Advertised.given("server.advertise", advertise, listen),
                settings.path("server.dir"),
                settings.list("masters", ""),
                settings.list("seeds", masters),
                settings.count("server.loops", NetworkLoops.COUNT, 1, 256),
                settings.count("server.readers", 2, 1, 256),
                settings.nanos("server.heartbeat", "200ms"),
                settings.bytesOf(memory, "server.block-cache", "256MiB"),
                settings.bytesOf(memory, "server.write-buffer", "128MiB"),
                settings.count("server.transfers", 8, 1, 64),
                settings.bytes("server.space-reserve", "1GiB"),
                RangeSettings.from(settings),
                ScrubSettings.from(settings));
    }
}
