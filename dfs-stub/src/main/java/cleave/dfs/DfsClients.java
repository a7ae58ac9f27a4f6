package cleave.dfs;

import cleave.dfs.DfsException.Reason;
import cleave.dfs.client.ClientLimits;
import cleave.dfs.client.StreamClient;
import cleave.dfs.metrics.DfsMetrics;
import cleave.dfs.node.NodeLimits;
import cleave.dfs.node.SpaceMarks;
import cleave.dfs.rpc.GrpcLink;
import cleave.dfs.store.CombiningLoop;
import cleave.dfs.store.Disk;
import cleave.dfs.store.FolderDisk;
import cleave.dfs.store.LocalNode;
import cleave.runtime.files.FileProblem;
import cleave.runtime.loop.ThreadLoop;
import cleave.runtime.rpc.Address;
import cleave.runtime.rpc.Channels;
import cleave.runtime.rpc.Transport;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Random;
import java.util.ServiceLoader;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Opens a DFS by its URI: {@code file:/some/folder} keeps it in a folder, in this process, which has it to itself;
 * {@code dfs:host:port} (or {@code dfs:inproc:NAME}) is a dfs-stub node. Other schemes are those of the {@link DfsProvider}s on the class
 * path, such as {@code bookkeeper://zk1:2181,zk2:2181/cleave}.
 */
public final class DfsClients {
    private static final long SEGMENT_BYTES = 64L << 20;
    private static final int BULK_BYTES = 256 << 10;
    private static final int PIECE_BYTES = 4 << 20;

    private DfsClients() {}

    /**
     * For {@code file:} the folder is read back before this returns; a fault of the disk ends the process. Other storage
     * need not be there yet.
     *
     * @throws DfsException INVALID if the URI is malformed or its scheme unknown; BROKEN if the folder is in use or damaged
     */
    public static Dfs open(String uri, Transport transport, DfsMetrics metrics) {
        return open(uri, 0, transport, metrics);
    }

    /** @param spaceReserve of a folder: as {@link cleave.dfs.settings.DfsNodeConfig} has it for a node */
    public static Dfs open(String uri, long spaceReserve, Transport transport, DfsMetrics metrics) {
        return open(uri, spaceReserve, transport, metrics, TimeUnit.SECONDS.toNanos(10));
    }

    /** The same, and a node is reached in the clear. */
    public static Dfs open(String uri, DfsMetrics metrics) {
        return open(uri, Transport.PLAIN, metrics);
    }

    /** @param boundNanos after which calls other than appends and barriers answer UNAVAILABLE */
    public static Dfs open(String uri, DfsMetrics metrics, long boundNanos) {
        return open(uri, 0, Transport.PLAIN, metrics, boundNanos);
    }

    private static Dfs open(String uri, long spaceReserve, Transport transport, DfsMetrics metrics, long boundNanos) {
        if (uri.startsWith("file:") && uri.length() > "file:".length()) {
            return embedded(Path.of(uri.substring("file:".length())), spaceReserve, metrics, boundNanos);
        }
        if (uri.startsWith("dfs:")) {
            return networked(uri.substring("dfs:".length()), transport, metrics, boundNanos);
        }
        return provider(uri).open(uri, transport, metrics, boundNanos);
    }

    private static DfsProvider provider(String uri) {
        String scheme = uri.substring(0, Math.max(0, uri.indexOf(':')));
        for (DfsProvider provider : ServiceLoader.load(DfsProvider.class)) {
            if (provider.scheme().equals(scheme)) {
                return provider;
            }
        }
        throw new DfsException(
                Reason.INVALID,
                scheme.equals("bookkeeper")
                        ? "'" + uri + "' needs the module dfs-bookkeeper, which is not on the class path: add"
                                + " dfs-stub/bookkeeper/target/dfs-bookkeeper-VERSION.jar and the jars in dfs-stub/bookkeeper/target/lib"
                        : "'" + uri + "' is none of file:/some/folder, dfs:host:port and"
                                + " bookkeeper://zookeeper:port,.../path");
    }

    private static Dfs embedded(Path folder, long spaceReserve, DfsMetrics metrics, long boundNanos) {
        try {
            return embedded(FolderDisk.open(folder, 0), spaceReserve, metrics, boundNanos, DfsNode::haltOnFault);
        } catch (IOException failed) {
            throw new DfsException(Reason.BROKEN, "cannot open " + folder + ": " + FileProblem.text(failed), failed);
        }
    }

    static Dfs embedded(
            Disk disk, long spaceReserve, DfsMetrics metrics, long boundNanos, Consumer<Throwable> faultHandler)
            throws IOException {
        SpaceMarks marks = SpaceMarks.of(spaceReserve, disk.totalBytes());
        NodeLimits limits = new NodeLimits(SEGMENT_BYTES, BULK_BYTES, marks);
        LocalNode node =
                LocalNode.start(disk, new LocalNode.Start("local", limits, new SecureRandom(), faultHandler), metrics);
        CombiningLoop loop = new CombiningLoop("dfs-client-timers", faultHandler);
        Runnable whenClosed = () -> {
            loop.stopTimers();
            node.close();
        };
        return StreamClient.of(
                patience(boundNanos, Long.MAX_VALUE),
                new StreamClient.Outside(loop, node.link(), new Random(), metrics, whenClosed));
    }

    private static Dfs networked(String address, Transport transport, DfsMetrics metrics, long boundNanos) {
        if (address.contains(",")) {
            throw new DfsException(Reason.INVALID, "dfs: takes one node, not '" + address + "'");
        }
        try {
            Address.parse(address);
        } catch (IllegalArgumentException malformed) {
            throw new DfsException(Reason.INVALID, "dfs:" + address + ": " + malformed.getMessage(), malformed);
        }
        Channels channels = new Channels(transport);
        CombiningLoop loop = new CombiningLoop("dfs-client-timers", ThreadLoop::haltOnFault);
        GrpcLink link = new GrpcLink(() -> channels.to(address), () -> channels.findAgain(address), channels::close);
        return StreamClient.of(
                patience(boundNanos, TimeUnit.SECONDS.toNanos(3)),
                new StreamClient.Outside(loop, link, new Random(), metrics, loop::stopTimers));
    }

    private static ClientLimits patience(long boundNanos, long silenceNanos) {
        return new ClientLimits(
                boundNanos,
                TimeUnit.MILLISECONDS.toNanos(10),
                TimeUnit.MILLISECONDS.toNanos(300),
                silenceNanos,
                PIECE_BYTES);
    }
}
