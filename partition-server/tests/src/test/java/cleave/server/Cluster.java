package cleave.server;

import cleave.dfs.DfsIdentityFile;
import cleave.dfs.memory.InMemoryDfs;
import cleave.model.DfsIdentity;
import cleave.model.Incarnation;
import cleave.model.Key;
import cleave.model.Row;
import cleave.model.Throttle;
import cleave.runtime.loop.ManualLoop;
import cleave.server.outside.Masters;
import cleave.server.outside.TargetServers;
import cleave.server.settings.RangeSettings;
import cleave.server.settings.ScrubSettings;
import cleave.wire.CommandReply;
import cleave.wire.FinishReply;
import cleave.wire.FinishRequest;
import cleave.wire.HandoffCancel;
import cleave.wire.HandoffOrder;
import cleave.wire.HandoffOrderSource;
import cleave.wire.HandoffOrderTarget;
import cleave.wire.HandoffOutcome;
import cleave.wire.HandoffRequest;
import cleave.wire.PrepareReply;
import cleave.wire.PrepareRequest;
import cleave.wire.PublishRequest;
import cleave.wire.RegisterReply;
import cleave.wire.RegisterRequest;
import cleave.wire.Route;
import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** Partition servers' cores, masters and a DFS, all in memory, on one loop turned by hand. Confined to the test's thread. */
final class Cluster {
    static final RangeSettings SETTINGS = new RangeSettings(
            1 << 20,
            600_000_000_000L,
            1 << 30,
            4,
            1000,
            1 << 20,
            4096,
            64 << 20,
            50_000_000,
            500_000_000,
            30_000_000_000L,
            500_000_000,
            256 << 20,
            Throttle.OFF);

    static final String DFS = "dddddddd-2222-3333-4444-555555555555";

    final ManualLoop loop = new ManualLoop();
    final InMemoryDfs dfs = InMemoryDfs.ofCluster();
    final FakeMasters masters = new FakeMasters();
    private final TreeMap<String, Incarnation> incarnations = new TreeMap<>();
    /** Servers that hear nothing from the masters, nor they from them. */
    final TreeSet<String> cutOff = new TreeSet<>();

    /** The calls that reach nobody: prepare, finish, forget. */
    final TreeSet<String> lostCalls = new TreeSet<>();
    /** The calls that reach their receiver, whose answer is lost. */
    final TreeSet<String> lostAnswers = new TreeSet<>();

    /** The scrub of servers that start from now on. */
    ScrubSettings scrub = ScrubSettings.OFF;

    private long handoffs;
    private final List<Node> nodes = new ArrayList<>();
    private final RangeSettings settings;

    Cluster() {
        this(SETTINGS);
    }

    Cluster(RangeSettings settings) {
        this.settings = settings;
        DfsIdentityFile.make(dfs, DfsIdentity.of(DFS)).join();
    }

    /** A cluster whose ranges make a checkpoint after this number of bytes. */
    static Cluster withCheckpointsAt(long bytes) {
        return new Cluster(settings(bytes, SETTINGS.serverBytes(), SETTINGS.partitionThrottle()));
    }

    /** A cluster whose servers have this limit of bytes of requests and answers. */
    static Cluster withRoomFor(long bytes) {
        return new Cluster(settings(SETTINGS.checkpointLogBytes(), bytes, SETTINGS.partitionThrottle()));
    }

    /** A cluster whose partitions have a limit. */
    static Cluster withThrottle(Throttle throttle) {
        return new Cluster(settings(SETTINGS.checkpointLogBytes(), SETTINGS.serverBytes(), throttle));
    }

    private static RangeSettings settings(long checkpointLogBytes, long serverBytes, Throttle throttle) {
        return new RangeSettings(
                checkpointLogBytes,
                SETTINGS.checkpointAfterNanos(),
                SETTINGS.reportLogBytes(),
                SETTINGS.appendsInFlight(),
                SETTINGS.groupsInFlight(),
                SETTINGS.groupBytes(),
                SETTINGS.queueRequests(),
                SETTINGS.queueBytes(),
                SETTINGS.expiryNanos(),
                SETTINGS.scanSliceNanos(),
                SETTINGS.deadlineNanos(),
                SETTINGS.switchNanos(),
                serverBytes,
                throttle);
    }

    /** Starts a server, and waits until it has done what it is ordered to. */
    Node start(String id) {
        Node node = new Node(id, this, settings);
        nodes.add(node);
        node.membership.start(id + ":1");
        settle();
        return node;
    }

    /** In the order of their start. */
    List<Node> nodes() {
        return nodes;
    }

    /** Lets a second pass. */
    void settle() {
        loop.advanceMillis(1000);
    }

    /** The masters declare the server dead, which does not hear of it, and order another to take its ranges over. */
    void takeOver(String from, String to) {
        cutOff.add(from);
        masters.taker = to;
        masters.declareDead(incarnation(from));
        settle();
    }

    /** That of a server's last registration. */
    Incarnation incarnation(String id) {
        Incarnation found = incarnations.get(id);
        if (found == null) {
            throw new AssertionError("never registered: " + id);
        }
        return found;
    }

    Node node(String id) {
        return nodes.stream().filter(each -> each.id.equals(id)).findFirst().orElseThrow();
    }

    /** An order for the rows over an interval to be replaced by as many as there are owners, divided at these keys. */
    HandoffOrder order(List<Row> sources, List<Key> at, String... owners) {
        HandoffOrder.Builder order = HandoffOrder.newBuilder().setHandoff(++handoffs);
        for (Row source : sources) {
            order.addSources(HandoffOrderSource.newBuilder()
                    .setRoute(Route.newBuilder().setRange(source.id()).setEpoch(source.epoch()))
                    .setVersion(source.version()));
        }
        ByteString start = sources.get(0).range().startToWire();
        for (int i = 0; i < owners.length; i++) {
            ByteString end = i < at.size()
                    ? at.get(i).toWire()
                    : sources.get(sources.size() - 1).range().endToWire();
            order.addTargets(HandoffOrderTarget.newBuilder()
                    .setStart(start)
                    .setEnd(end)
                    .setOwner(incarnation(owners[i]).toWire())
                    .setAddress(owners[i] + ":1"));
            start = end;
        }
        return order.build();
    }

    /** Sends an order to the owner of its sources. */
    Answer<HandoffOutcome> send(String to, HandoffOrder order) {
        Answer<HandoffOutcome> answer = new Answer<>();
        node(to).membership.handoff(order).thenAccept(answer);
        return answer;
    }

    Answer<HandoffOutcome> cancel(String owner, HandoffOrder order) {
        Answer<HandoffOutcome> answer = new Answer<>();
        HandoffCancel cancel = HandoffCancel.newBuilder()
                .setHandoff(order.getHandoff())
                .setReason("a test says so")
                .build();
        node(owner).membership.cancel(cancel).thenAccept(answer);
        loop.runReady();
        return answer;
    }

    Answer<HandoffOutcome> split(String owner, Row row, List<Key> at, String... owners) {
        return send(owner, order(List.of(row), at, owners));
    }

    /** The owners of targets as one server reaches them. */
    TargetServers targetsOf(String id) {
        return new TargetServers() {
            @Override
            public CompletableFuture<PrepareReply> prepare(String address, PrepareRequest request, long timeoutNanos) {
                return reach(address, "prepare", node -> node.membership.prepare(request), timeoutNanos);
            }

            @Override
            public CompletableFuture<FinishReply> finish(String address, FinishRequest request, long timeoutNanos) {
                return reach(
                        address,
                        request.hasRow() ? "finish" : "forget",
                        node -> node.membership.finish(request),
                        timeoutNanos);
            }
        };
    }

    private <T> CompletableFuture<T> reach(
            String address, String call, Function<Node, CompletableFuture<T>> made, long timeoutNanos) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        loop.schedule(timeoutNanos, () -> answer.completeExceptionally(new IllegalStateException("timed out")));
        if (!lostCalls.contains(call)) {
            made.apply(node(address.substring(0, address.indexOf(':')))).thenAccept(reply -> {
                if (!lostAnswers.contains(call)) {
                    answer.complete(reply);
                }
            });
        }
        return answer;
    }

    Masters linkOf(String id) {
        return new Link(id);
    }

    /** The masters as one server reaches them. */
    private final class Link implements Masters {
        private final String id;

        Link(String id) {
            this.id = id;
        }

        private <T> CompletableFuture<T> lost() {
            return CompletableFuture.failedFuture(new IllegalStateException(id + " is cut off"));
        }

        @Override
        public CompletableFuture<RegisterReply> register(RegisterRequest request) {
            if (cutOff.contains(id)) {
                return lost();
            }
            return masters.register(request).thenApply(reply -> {
                incarnations.put(id, Incarnation.fromWire(reply.getIncarnation()));
                return reply;
            });
        }

        @Override
        public CompletableFuture<CommandReply> publish(PublishRequest request) {
            return cutOff.contains(id) ? lost() : masters.publish(request);
        }

        @Override
        public CompletableFuture<CommandReply> commitHandoff(HandoffRequest request) {
            return cutOff.contains(id) ? lost() : masters.commitHandoff(request);
        }

        @Override
        public CompletableFuture<CommandReply> armFence(cleave.wire.Fence fence) {
            return cutOff.contains(id) ? lost() : masters.armFence(fence);
        }

        @Override
        public HeartbeatStream heartbeats(HeartbeatListener listener) {
            HeartbeatStream stream = masters.heartbeats(listener);
            return new HeartbeatStream() {
                @Override
                public void send(cleave.wire.HeartbeatRequest request) {
                    if (!cutOff.contains(id)) {
                        stream.send(request);
                    }
                }

                @Override
                public void close() {
                    stream.close();
                }
            };
        }
    }
}
