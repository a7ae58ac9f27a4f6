package cleave.master.core;

import cleave.master.membership.GroupMembership;
import cleave.master.membership.GroupMembership.Phase;
import cleave.master.metrics.MasterMetrics;
import cleave.master.settings.MasterConfig.Peer;
import cleave.master.settings.MasterSelf;
import cleave.master.settings.MasterTiming;
import cleave.master.state.BalancerSettings;
import cleave.master.state.MasterAnswer;
import cleave.master.state.MasterCommand.Register;
import cleave.master.state.Script;
import cleave.model.ClusterId;
import cleave.model.FeatureLevels;
import cleave.model.Incarnation;
import cleave.model.Key;
import cleave.model.Row;
import cleave.runtime.loop.ManualLoop;
import cleave.wire.RegisterRequest;
import cleave.wire.StatusReply;
import cleave.wire.StatusRequest;
import io.prometheus.client.CollectorRegistry;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Consumer;

/** One or more master loops over a shared log, on one virtual clock. Confined to one test. */
public final class Bench {
    private static final long SKEW_NANOS = 5_000_000_000L;

    /** The registry of the last master that was made. */
    private CollectorRegistry registry = new CollectorRegistry();

    private Consumer<String> listener = text -> {};
    public final ManualLoop time = new ManualLoop();
    public final SharedLog log = new SharedLog();
    public final FakeRanges ranges = new FakeRanges(log);
    private boolean diligent;
    public final FakeFiles files = new FakeFiles();
    public final FakeMasterCalls joins = new FakeMasterCalls();
    private final List<FakeServer> beating = new ArrayList<>();
    final TreeMap<String, Master> masters = new TreeMap<>();

    /** A master and its view of the log. */
    public record Master(SharedLog.Member replica, MasterLoop loop) {}

    public Master master(String address) {
        return master(address, FeatureLevels.SUPPORTED, FeatureLevels.SUPPORTED.max());
    }

    /** A master of a version that supports these feature levels, and may raise the cluster's so far. */
    public Master master(String address, FeatureLevels levels, int allowed) {
        SharedLog.Member replica = log.member(address);
        registry = new CollectorRegistry();
        MasterSelf self = self(address, List.of(), levels, allowed);
        MasterCore core = core(time, self, replica, ranges, joins, files, registry);
        core.start(member(address));
        Master master = new Master(replica, core.master());
        masters.put(address, master);
        answerOthers(address, true);
        return master;
    }

    public static MasterSelf self(String id, List<Peer> peers, FeatureLevels levels, int allowed) {
        return new MasterSelf(
                id, "/" + id, peers, MasterTiming.DEFAULT, SKEW_NANOS, BalancerSettings.DEFAULT, levels, allowed);
    }

    static MasterCore core(
            ManualLoop time,
            MasterSelf self,
            SharedLog.Member replica,
            FakeRanges ranges,
            FakeMasterCalls others,
            FakeFiles files,
            CollectorRegistry registry) {
        return MasterCore.of(
                time,
                self,
                new MasterCore.Outside(
                        replica,
                        new FakeGroup(),
                        ranges,
                        others,
                        files,
                        new FakeClusterFiles(),
                        () -> new ClusterId(SharedLog.CLUSTER),
                        new MasterMetrics(registry)));
    }

    static GroupMembership member(String id) {
        return new GroupMembership(
                new ClusterId(SharedLog.CLUSTER), id, Phase.MEMBER, "token-of-a-member", List.of(), List.of());
    }

    /** From now on this master does not answer other masters, or does again. */
    public void answerOthers(String address, boolean answers) {
        if (answers) {
            Master master = Objects.requireNonNull(masters.get(address));
            joins.levels.put(address, master.loop()::supportedLevels);
        } else {
            joins.levels.remove(address);
        }
    }

    /** A metric of the last master that was made. */
    public double metric(String name, String[] labels, String[] values) {
        return Objects.requireNonNull(registry.getSampleValue(name, labels, values), name);
    }

    /** A master that leads and has made the first row. */
    public Master leader(String address) {
        Master master = master(address);
        master.replica().lead();
        time.advanceMillis(300);
        return master;
    }

    /** Registers a server, which then sends heartbeats as time passes. */
    public FakeServer server(String id, Master master) {
        MasterAnswer answer = log.apply(new Register(id, "address-of-" + id));
        Incarnation incarnation = answer.incarnation();
        if (incarnation == null) {
            throw new AssertionError(id + " was not let in");
        }
        FakeServer server = new FakeServer(incarnation, master.loop());
        server.listener = listener;
        beating.add(server);
        return server;
    }

    /** From now on this hears of each event, in words. */
    void listen(Consumer<String> to) {
        listener = to;
        log.listener = to;
        ranges.listener = to;
        joins.listener = to;
    }

    /** A master's answer to a server that asks to be registered. */
    public MasterAnswer register(Master master, String server, String dfs, FeatureLevels levels, long clockTicks) {
        return master.loop()
                .registration()
                .register(RegisterRequest.newBuilder()
                        .setServer(server)
                        .setAddress("address-of-" + server)
                        .setCluster(SharedLog.CLUSTER)
                        .setDfs(dfs)
                        .setLevels(levels.toWire())
                        .setClockTicks(clockTicks)
                        .build())
                .join();
    }

    public List<FakeServer> servers() {
        return List.copyOf(beating);
    }

    public void silence(FakeServer server) {
        beating.remove(server);
    }

    public void speak(FakeServer server) {
        beating.add(server);
    }

    /** From now on servers serve what the map gives them, from their next heartbeat on. */
    public void beDiligent() {
        diligent = true;
    }

    /** From now on servers serve what the test says. */
    public void beIdle() {
        diligent = false;
    }

    private void beat() {
        for (FakeServer server : List.copyOf(beating)) {
            if (diligent) {
                server.serveOnly(log.state().rows().all().stream()
                        .filter(row -> server.incarnation().equals(row.owner()))
                        .toList());
            }
            server.beat();
        }
    }

    /** Lets time pass, with heartbeats every 200 ms. */
    public void pass(long millis) {
        for (long left = millis; left > 0; left -= 100) {
            if (left / 100 % 2 == 0) {
                beat();
            }
            time.advanceMillis(Math.min(left, 100));
        }
        beat();
        time.runReady();
    }

    /** The server does what it was ordered: takes over what is not its own, and serves. */
    public void obey(FakeServer server) {
        for (Row row : server.orders()) {
            open(server, row);
        }
    }

    public void open(FakeServer server, Row row) {
        if (!server.incarnation().equals(row.owner())) {
            log.apply(Script.takeover(
                    row, server.incarnation(), "m/" + log.commands().size()));
        }
        Row after = log.state().rows().row(row.id());
        if (after != null && server.incarnation().equals(after.owner())) {
            server.serve(after);
        }
    }

    /** Has the owner of a table's beginning split it before some partitions, and keep all parts. */
    public void splitAt(long table, String... partitions) {
        Row row = log.state().rows().at(Key.beforeTable(table));
        Incarnation owner = row == null ? null : row.owner();
        if (row == null || owner == null) {
            throw new AssertionError("nobody can split at " + table);
        }
        List<Key> at = Arrays.stream(partitions)
                .map(each -> Key.beforePartition(table, each))
                .toList();
        MasterAnswer answer = log.apply(Script.split(row, at, List.of(owner)));
        if (!answer.isOk()) {
            throw new AssertionError(answer);
        }
    }

    /** The only row of the map. */
    public Row row() {
        return log.state().rows().all().iterator().next();
    }

    /** The status as an operator gets it who takes all at once. */
    public StatusReply status(Master master) {
        return status(master, StatusRequest.getDefaultInstance());
    }

    /** Names of tables are waited for no longer than a moment. */
    public StatusReply status(Master master, StatusRequest request) {
        StatusReader asking = new StatusReader();
        master.loop().status(request, asking);
        time.runReady();
        if (!asking.ended && request.getTables()) {
            time.advanceMillis(100);
        }
        if (!asking.ended) {
            throw new AssertionError("no whole status: " + asking.failure);
        }
        return asking.whole();
    }

    /** An operator that requests the status, and takes up to a number of pieces. */
    public static final class StatusReader implements StreamSink<StatusReply> {
        final List<StatusReply> pieces = new ArrayList<>();
        int takes = Integer.MAX_VALUE;
        boolean ended;
        String failure = "";

        public StatusReply whole() {
            StatusReply.Builder whole = StatusReply.newBuilder();
            pieces.forEach(whole::mergeFrom);
            return whole.build();
        }

        @Override
        public boolean isReady() {
            return pieces.size() < takes;
        }

        @Override
        public void send(StatusReply piece) {
            pieces.add(piece);
        }

        @Override
        public void end() {
            ended = true;
        }

        @Override
        public void fail(String why) {
            failure = why;
        }
    }
}
