package cleave.chaos.sim;

import cleave.chaos.client.Endpoint;
import cleave.rpc.CallTimeout;
import cleave.wire.AdminGrpc;
import cleave.wire.AdminSplitRequest;
import cleave.wire.CommandReply;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * What goes wrong in one seed, and when: some of all kinds of faults, one every second or so, until all is to heal. Confined to
 * the simulation.
 */
final class Faults {
    private static final long SECOND = 1_000_000_000L;

    /** What can go wrong, each with a weight. */
    enum Kind {
        CRASH_OF_A_SERVER(6),
        CRASH_OF_A_MASTER(3),
        CRASH_OF_A_FRONT_END(2),
        CRASH_OF_ALL_MASTERS(1),
        CRASH_OF_ALL_SERVERS(1),
        PAUSE(5),
        PARTITION_OF_TWO(4),
        PARTITION_ONE_WAY(3),
        PARTITION_IN_HALVES(5),
        ISOLATION(4),
        CUT_FROM_THE_MASTERS(4),
        CUT_FROM_THE_DFS(3),
        CONNECTION_RESET(4),
        SLOW_NODE(2),
        LOST_LEADER(3),
        CLOCK_JUMP(2),
        SPLIT(5);

        private final int weight;

        Kind(int weight) {
            this.weight = weight;
        }
    }

    private final World world;
    private final SimCluster cluster;
    private final SimRaft raft;
    private final SimMedium dfs;
    private final SimProcess operator;
    private final Random random;
    private final Map<Kind, Integer> weights = new EnumMap<>(Kind.class);
    private boolean over;
    private int splits;

    Faults(World world, SimCluster cluster, SimRaft raft, SimMedium dfs, SimProcess operator) {
        this.world = world;
        this.cluster = cluster;
        this.raft = raft;
        this.dfs = dfs;
        this.operator = operator;
        this.random = world.newRandom();
        for (Kind kind : Kind.values()) {
            if (random.nextInt(4) > 0) { // Each seed leaves some out.
                weights.put(kind, kind.weight);
            }
        }
    }

    void begin() {
        world.network().slowness(chance(0.02));
        world.rpc().duplicates(chance(0.1));
        raft.nastiness(chance(0.08));
        dfs.be(new SimMedium.Nastiness(chance(0.02), chance(0.05), chance(0.05), chance(0.3)));
        later();
    }

    /** Zero in every third seed. */
    private double chance(double most) {
        return random.nextInt(3) == 0 ? 0 : random.nextDouble() * most;
    }

    private void later() {
        world.after((long) (random.nextDouble() * 2 * SECOND), () -> {
            if (!over) {
                strike();
                later();
            }
        });
    }

    private void strike() {
        int total = weights.values().stream().mapToInt(Integer::intValue).sum();
        if (total == 0) {
            return;
        }
        int dice = random.nextInt(total);
        for (Map.Entry<Kind, Integer> entry : weights.entrySet()) {
            dice -= entry.getValue();
            if (dice < 0) {
                world.trace().note(world.now(), "fault", entry.getKey().name(), "");
                world.trace().count("fault " + entry.getKey());
                strike(entry.getKey());
                return;
            }
        }
    }

    private void strike(Kind kind) {
        switch (kind) {
            case CRASH_OF_A_SERVER -> crash(any(cluster.servers()));
            case CRASH_OF_A_MASTER -> crash(any(cluster.masters()));
            case CRASH_OF_A_FRONT_END -> crash(any(cluster.frontEnds()));
            case CRASH_OF_ALL_MASTERS -> cluster.masters().forEach(this::crash);
            case CRASH_OF_ALL_SERVERS -> cluster.servers().forEach(this::crash);
            case PAUSE -> any(cluster.nodes()).process().pause((long) (random.nextDouble() * 5 * SECOND));
            case PARTITION_OF_TWO ->
                partition(any(cluster.nodes()).name(), any(cluster.nodes()).name(), false);
            case PARTITION_ONE_WAY ->
                partition(any(cluster.nodes()).name(), any(cluster.nodes()).name(), true);
            case PARTITION_IN_HALVES -> divide();
            case ISOLATION -> isolate(any(cluster.nodes()));
            case CUT_FROM_THE_MASTERS -> cutFromMasters(any(cluster.servers()));
            case CUT_FROM_THE_DFS -> partition(any(cluster.servers()).name(), dfs.node(), random.nextBoolean());
            case CONNECTION_RESET ->
                world.rpc()
                        .reset(any(cluster.nodes()).name(), any(cluster.nodes()).name());
            case SLOW_NODE -> world.network().slow(any(cluster.nodes()).name());
            case LOST_LEADER -> raft.depose();
            case CLOCK_JUMP -> any(cluster.nodes()).clock().jump((long) ((random.nextDouble() - 0.5) * 8 * SECOND));
            case SPLIT -> split();
        }
    }

    private <T> T any(List<T> all) {
        return all.get(random.nextInt(all.size()));
    }

    private void crash(Node node) {
        node.crash();
        long later = random.nextBoolean() ? random.nextInt(200_000_000) : (long) (random.nextDouble() * 6 * SECOND);
        world.after(later, node::start);
    }

    private void partition(String one, String other, boolean oneWay) {
        partition(one, other, oneWay, (long) (random.nextDouble() * 8 * SECOND));
    }

    private void partition(String one, String other, boolean oneWay, long nanos) {
        if (one.equals(other)) {
            return;
        }
        world.network().block(one, other);
        if (!oneWay) {
            world.network().block(other, one);
        }
        world.after(nanos, () -> {
            world.network().unblock(one, other);
            world.network().unblock(other, one);
        });
    }

    /** All nodes are on one side or the other, and the DFS is on both, as is whoever asks for an answer. */
    private void divide() {
        List<String> here = new ArrayList<>();
        List<String> there = new ArrayList<>();
        cluster.nodes().forEach(node -> (random.nextBoolean() ? here : there).add(node.name()));
        long nanos = (long) (random.nextDouble() * 8 * SECOND);
        here.forEach(one -> there.forEach(other -> partition(one, other, false, nanos)));
    }

    private void isolate(Node node) {
        List<String> others = new ArrayList<>();
        cluster.nodes().forEach(other -> others.add(other.name()));
        if (random.nextBoolean()) {
            others.add(dfs.node());
        }
        boolean oneWay = random.nextInt(3) == 0;
        others.forEach(other -> partition(node.name(), other, oneWay));
    }

    private void cutFromMasters(Node server) {
        boolean oneWay = random.nextBoolean();
        cluster.masters().forEach(master -> partition(server.name(), master.name(), oneWay));
    }

    /** An operator asks the leader to split the table between two partitions. */
    private void split() {
        String leader = raft.leaderNode();
        if (leader == null || splits >= 6) {
            return;
        }
        splits++;
        AdminSplitRequest request = AdminSplitRequest.newBuilder()
                .setAccount(Endpoint.DEVELOPMENT_ACCOUNT)
                .setTable(Workload.TABLE)
                .addPartitionKeys("p" + random.nextInt(Workload.PARTITIONS))
                .build();
        CallTimeout.on(AdminGrpc.newStub(world.rpc().channel(operator, leader + ":1")), 20 * SECOND)
                .split(request, new StreamObserver<CommandReply>() {
                    @Override
                    public void onNext(CommandReply reply) {
                        world.trace()
                                .note(
                                        world.now(),
                                        "operator",
                                        "split",
                                        reply.getStatus().getCode().name());
                        world.trace().count("split " + reply.getStatus().getCode());
                    }

                    @Override
                    public void onError(Throwable failure) {}

                    @Override
                    public void onCompleted() {}
                });
    }

    /** No more faults; what was broken is repaired. */
    void end() {
        over = true;
        world.trace().note(world.now(), "fault", "HEAL", "");
        world.network().heal();
        world.rpc().duplicates(0);
        raft.nastiness(0);
        dfs.be(SimMedium.Nastiness.NONE);
        for (Node node : cluster.nodes()) {
            node.clock().repair();
            node.process().resume();
            node.start();
        }
    }
}
