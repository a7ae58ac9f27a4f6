package cleave.master;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.dfs.ClusterFile;
import cleave.dfs.Dfs;
import cleave.dfs.DfsClients;
import cleave.dfs.DfsIdentityFile;
import cleave.dfs.metrics.DfsMetrics;
import cleave.master.metrics.MasterMetrics;
import cleave.master.settings.MasterConfig;
import cleave.route.rpc.MapWatcher;
import cleave.route.rpc.MasterClient;
import cleave.runtime.loop.Await;
import cleave.runtime.loop.ThreadLoop;
import cleave.runtime.rpc.Channels;
import cleave.runtime.rpc.TestPorts;
import cleave.runtime.rpc.Transport;
import cleave.runtime.settings.Settings;
import cleave.wire.ErrorCode;
import cleave.wire.FoundReply;
import io.prometheus.client.CollectorRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.ratis.util.FileUtils;

/** Whole masters in this process, and clients as the other roles have them. Confined to one test. */
final class Masters implements AutoCloseable {
    final ThreadLoop loop;
    final Channels channels = new Channels();
    final MasterClient client;
    final MapWatcher watcher;
    private final Path dir;
    private final Dfs dfs;
    private final List<String> rpcAddresses = new ArrayList<>();
    private final List<String> raftAddresses = new ArrayList<>();
    private final TreeMap<String, String> special = new TreeMap<>();
    private final TreeMap<String, PartitionMaster> running = new TreeMap<>();
    private final List<Throwable> faults = new CopyOnWriteArrayList<>();

    Masters(Path dir, int count) {
        this.dir = dir;
        dfs = DfsClients.open("file:" + dir.resolve("dfs"), new DfsMetrics(new CollectorRegistry()));
        for (int i = 1; i <= count; i++) {
            rpcAddresses.add("127.0.0.1:" + TestPorts.free());
            raftAddresses.add("127.0.0.1:" + TestPorts.free());
        }
        loop = new ThreadLoop("test-client", faults::add);
        client = new MasterClient(loop, channels, rpcAddresses, new Random(1));
        watcher = new MapWatcher(loop, channels, rpcAddresses, new Random(2));
    }

    /**
     * Starts them and founds a cluster, or goes on with the one that they have. Then all have a log: Raft counts no vote of a member
     * without one, so a founder that is stopped before would be no part of a quorum.
     */
    void startAll() {
        startBlank();
        awaitFounding();
        awaitAllReady();
    }

    void awaitFounding() {
        Await.until("the founding", () -> found("m1").getStatus().getCode() == ErrorCode.OK);
    }

    void awaitReady(String id) {
        Await.until(id + " to be ready", () -> master(id).readiness().ready());
    }

    void awaitAllReady() {
        running.keySet().forEach(this::awaitReady);
    }

    void startBlank() {
        for (int i = 1; i <= rpcAddresses.size(); i++) {
            start("m" + i);
        }
    }

    /** The cluster of the masters that run, by the DFS. */
    String cluster() {
        return ClusterFile.read(dfs).join().orElseThrow().cluster().text();
    }

    /** The id of their DFS. */
    String dfsId() {
        return DfsIdentityFile.readOrMake(dfs, () -> UUID.randomUUID().toString())
                .join()
                .id();
    }

    Dfs dfs() {
        return dfs;
    }

    /** Its folder is empty at its next start. */
    void loseDisk(String id) {
        try {
            FileUtils.deleteFully(dir.resolve(id));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    Path folder(String id) {
        return dir.resolve(id);
    }

    /** From now on that master starts with another setting. */
    void set(String id, String key, String value) {
        special.put(id + " " + key, value);
    }

    /** Its text in {@code master.peers} and for operators. */
    String peer(String id) {
        int number = Integer.parseInt(id.substring(1)) - 1;
        return id + "=" + raftAddresses.get(number) + "=" + rpcAddresses.get(number);
    }

    /** From now on that master has other addresses, and starts with settings that name it alone. */
    void moveElsewhere(String id) {
        int number = Integer.parseInt(id.substring(1)) - 1;
        rpcAddresses.set(number, "127.0.0.1:" + TestPorts.free());
        raftAddresses.set(number, "127.0.0.1:" + TestPorts.free());
        set(id, "master.peers", peer(id));
    }

    /** Starts a master whose settings name no other. */
    void startAlone(String id) {
        set(id, "master.peers", peer(id));
        start(id);
    }

    FoundReply found(String id) {
        return master(id).found().orTimeout(120, TimeUnit.SECONDS).join();
    }

    void start(String id) {
        int number = Integer.parseInt(id.substring(1)) - 1;
        List<String> peers = IntStream.rangeClosed(1, rpcAddresses.size())
                .mapToObj(i -> peer("m" + i))
                .toList();
        Map<String, String> settings = new HashMap<>();
        settings.put("master.id", id);
        settings.put("master.listen", rpcAddresses.get(number));
        settings.put("master.raft-listen", raftAddresses.get(number));
        settings.put("master.peers", String.join(",", peers));
        settings.put("master.dir", dir.resolve(id).toString());
        settings.put("master.election-min", "500ms");
        settings.put("master.election-max", "1000ms");
        special.forEach((key, value) -> {
            if (key.startsWith(id + " ")) {
                settings.put(key.substring(id.length() + 1), value);
            }
        });
        PartitionMaster master = new PartitionMaster(
                MasterConfig.from(new Settings(settings)),
                Transport.PLAIN,
                new MasterMetrics(new CollectorRegistry()),
                dfs,
                faults::add);
        master.start();
        running.put(id, master);
    }

    void stop(String id) {
        PartitionMaster master = running.remove(id);
        if (master != null) {
            master.close();
        }
    }

    PartitionMaster master(String id) {
        PartitionMaster master = running.get(id);
        if (master == null) {
            throw new AssertionError(id + " does not run");
        }
        return master;
    }

    String address(String id) {
        return rpcAddresses.get(Integer.parseInt(id.substring(1)) - 1);
    }

    List<String> addresses() {
        return rpcAddresses;
    }

    /** The id of the master that the watched map says leads. */
    String leader() {
        Await.until("a leader", () -> rpcAddresses.contains(watcher.current().leader()));
        return "m" + (rpcAddresses.indexOf(watcher.current().leader()) + 1);
    }

    /** Claims that no master had a fault. */
    @Override
    public void close() {
        try {
            assertThat(faults).isEmpty();
        } finally {
            watcher.close();
            running.values().forEach(PartitionMaster::close);
            loop.close();
            channels.close();
            dfs.close();
        }
    }
}
