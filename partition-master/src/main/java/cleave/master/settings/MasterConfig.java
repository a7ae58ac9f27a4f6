package cleave.master.settings;

import cleave.master.state.BalancerSettings;
import cleave.model.FeatureLevels;
import cleave.runtime.rpc.Advertised;
import cleave.runtime.settings.Settings;
import cleave.runtime.settings.Settings.BadSetting;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * The settings of one master. Immutable.
 *
 * @param id this master's, one of the peers'
 * @param listen where gRPC is served: {@code host:port} (port 0: a free one) or {@code inproc:NAME}
 * @param raftListen where Raft listens; port 0 (a free one) only for a single peer
 * @param peers all masters, this one too: the members of a cluster that is founded with these settings. A cluster that was
 *     founded knows its members by itself
 * @param dir holds to which cluster this master belongs, and Raft's log and snapshots
 * @param snapshotEvery commands between snapshots
 * @param segmentBytes size of a file of Raft's log; whole files are removed once a snapshot covers them
 * @param electionMinNanos least time without a leader before an election
 * @param electionMaxNanos most time
 * @param clockSkewNanos a server whose clock is further off is not admitted and is given no more ranges; no timestamp is further ahead
 * @param featureLevel the cluster's feature level is raised no further while this master leads or follows: holds a rollback open
 * @param balancer seeds the replicated settings of a cluster that has none yet
 */
public record MasterConfig(
        String id,
        String listen,
        String raftListen,
        List<Peer> peers,
        Path dir,
        long snapshotEvery,
        long segmentBytes,
        long electionMinNanos,
        long electionMaxNanos,
        long clockSkewNanos,
        MasterTiming timing,
        int featureLevel,
        BalancerSettings balancer) {
    /** The default of {@code master.listen}. */
    public static final String LISTEN = "127.0.0.1:10100";
    /** The default of {@code master.raft-listen}. */
    public static final String RAFT_LISTEN = "127.0.0.1:0";

    private static final Pattern ID = Pattern.compile("[A-Za-z0-9._-]{1,100}");
    private static final long CLOCK_SKEW_FLOOR_NANOS = 100_000_000L;
    private static final long ELECTION_FLOOR_NANOS = 100_000_000;

    public MasterConfig {
        peers = List.copyOf(peers);
        TreeSet<String> ids = new TreeSet<>();
        for (Peer peer : peers) {
            need(
                    ID.matcher(peer.id()).matches(),
                    "a master's id has from 1 to 100 letters, digits and . _ -, not '" + peer.id() + "'");
            need(ids.add(peer.id()), "master.peers names " + peer.id() + " twice");
            Advertised.check("master.peers", peer.raft());
            Advertised.check("master.peers", peer.rpc());
            need(!peer.id().contains("#"), "the id of a master has no '#', but master.peers names " + peer.id());
        }
        need(ids.contains(id), "master.peers does not name master.id " + id + ", only " + ids);
        need(peers.size() == 1 || peers.size() == 3 || peers.size() == 5, "there are 1, 3 or 5 masters");
        int raftPort = port(raftListen);
        need(peers.size() == 1 || raftPort != 0, "master.raft-listen needs a port that its peers can know");
        need(
                electionMinNanos >= ELECTION_FLOOR_NANOS && electionMinNanos < electionMaxNanos,
                "master.election-min must be at least 100ms and below master.election-max");
        need(clockSkewNanos >= CLOCK_SKEW_FLOOR_NANOS, "master.clock-skew must be at least 100ms");
        need(segmentBytes >= 1024, "master.segment-bytes must be at least 1KiB");
        need(snapshotEvery >= 1, "master.snapshot-every must be at least 1");
    }

    /**
     * One master.
     *
     * @param raft address of its Raft service
     * @param rpc address of its gRPC services
     */
    public record Peer(String id, String raft, String rpc) {
        public static Peer of(String text) {
            String[] parts = text.split("=", -1);
            if (parts.length != 3 || parts[0].isBlank() || parts[1].isBlank() || parts[2].isBlank()) {
                throw new BadSetting(
                        "master.peers has '" + text + "' but each peer is id=raftHost:raftPort=rpcHost:rpcPort");
            }
            port(parts[1]);
            return new Peer(parts[0], parts[1], parts[2]);
        }

        /** Its text in the setting. */
        public String text() {
            return id + "=" + raft + "=" + rpc;
        }
    }

    public static MasterConfig from(Settings settings) {
        String id = settings.text("master.id", "m1");
        String listen = settings.text("master.listen", LISTEN);
        String raftListen = settings.text("master.raft-listen", RAFT_LISTEN);
        List<Peer> peers = new ArrayList<>();
        List<String> named = settings.list("master.peers", "");
        if (named.isEmpty()) {
            String remedy = "master.peers to " + id
                    + "=HOST:PORT=HOST:PORT, the addresses of Raft and gRPC that others can use";
            peers.add(new Peer(
                    id,
                    Advertised.of("master.raft-listen", raftListen, remedy),
                    Advertised.of("master.listen", listen, remedy)));
        }
        named.forEach(peer -> peers.add(Peer.of(peer)));
        return new MasterConfig(
                id,
                listen,
                raftListen,
                peers,
                settings.path("master.dir", "master"),
                settings.count("master.snapshot-every", 10_000, 1, 100_000_000),
                settings.bytes("master.segment-bytes", "4MiB"),
                settings.nanos("master.election-min", "1000ms"),
                settings.nanos("master.election-max", "2000ms"),
                settings.nanos("master.clock-skew", "5s"),
                MasterTiming.from(settings),
                settings.count(
                        "master.feature-level",
                        FeatureLevels.SUPPORTED.max(),
                        FeatureLevels.SUPPORTED.min(),
                        FeatureLevels.SUPPORTED.max()),
                BalancerSettings.from(settings));
    }

    /** This master as its settings name it. */
    public Peer self() {
        return peers.stream().filter(peer -> peer.id().equals(id)).findFirst().orElseThrow();
    }

    /** The port of {@code host:port}. */
    public static int port(String address) {
        int colon = address.lastIndexOf(':');
        try {
            int port = Integer.parseInt(address.substring(colon + 1));
            if (colon > 0 && port >= 0 && port <= 65_535) {
                return port;
            }
        } catch (NumberFormatException notANumber) {
            // Answered below, together with one out of bounds.
        }
        throw new BadSetting("'" + address + "' is not host:port");
    }

    /** The host of {@code host:port}. */
    public static String host(String address) {
        return address.substring(0, address.lastIndexOf(':'));
    }

    private static void need(boolean claim, String message) {
        if (!claim) {
            throw new BadSetting(message);
        }
    }
}
