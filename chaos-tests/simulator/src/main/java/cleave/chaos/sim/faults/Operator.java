package cleave.chaos.sim.faults;

import static cleave.chaos.sim.world.World.any;

import cleave.chaos.sim.cluster.Admin;
import cleave.chaos.sim.cluster.SimCluster;
import cleave.chaos.sim.cluster.SimWorkload;
import cleave.chaos.sim.world.SimProcess;
import cleave.chaos.sim.world.World;
import cleave.master.state.MasterState;
import cleave.model.Row;
import cleave.wire.AdminGrpc.AdminStub;
import cleave.wire.CancelHandoffRequest;
import cleave.wire.CommandReply;
import cleave.wire.HandoffState;
import cleave.wire.HandoffsReply;
import cleave.wire.HandoffsRequest;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;

/**
 * An operator who continually requests splits, merges, moves and drains, and cancels some of them. It sees the whole
 * map.
 */
final class Operator {
    private static final long MILLI = 1_000_000L;
    private static final long PAUSE_NANOS_MAX = 400 * MILLI;
    private static final int RANGES_MAX = 12;
    /** One request in this many is a cancellation, so that most handoffs complete. */
    private static final int WISHES_FOR_A_CANCEL = 12;

    private final World world;
    private final SimCluster cluster;
    private final SimProcess process;
    private final Random random;
    private final List<FaultKind> wanted;
    private boolean over;

    Operator(SimCluster cluster, SimProcess process, Set<FaultKind> kinds) {
        this.world = cluster.world();
        this.cluster = cluster;
        this.process = process;
        this.random = world.newRandom();
        this.wanted = EnumSet.copyOf(FaultKind.ASKED_FOR).stream()
                .filter(kinds::contains)
                .toList();
    }

    void begin() {
        wanted.forEach(kind -> world.count("fault " + kind));
        later();
    }

    void end() {
        over = true;
    }

    private void later() {
        world.after((long) (random.nextDouble() * PAUSE_NANOS_MAX), () -> {
            if (!over && !wanted.isEmpty()) {
                FaultKind kind = any(wanted, random);
                if (kind != FaultKind.CANCEL || random.nextInt(WISHES_FOR_A_CANCEL) == 0) {
                    ask(kind);
                }
                later();
            }
        });
    }

    private void ask(FaultKind kind) {
        String leader = cluster.raft().leaderNode();
        MasterState map = cluster.audited();
        if (leader == null || map.rows().isEmpty() || map.servers().isEmpty()) {
            return;
        }
        AdminStub admin = Admin.of(world, process, leader);
        switch (kind) {
            case SPLIT -> split(admin, map);
            case MERGE -> merge(admin, map);
            case MOVE -> move(admin, map);
            case DRAIN -> drain(admin, map);
            case CANCEL ->
                admin.listHandoffs(HandoffsRequest.getDefaultInstance(), Admin.on(reply -> cancel(admin, reply)));
            default -> throw new IllegalArgumentException(kind + " is nothing that one asks for");
        }
    }

    private void split(AdminStub admin, MasterState map) {
        if (map.rows().all().size() >= RANGES_MAX) {
            return;
        }
        List<String> partitions = new ArrayList<>();
        for (int parts = random.nextInt(4) == 0 ? 2 : 1; parts > 0; parts--) {
            partitions.add("p" + random.nextInt(SimWorkload.PARTITIONS));
        }
        admin.split(Admin.split(partitions), told(FaultKind.SPLIT));
    }

    /** Merges a range with its right neighbour. */
    private void merge(AdminStub admin, MasterState map) {
        List<Row> rows = rows(map);
        if (rows.size() > 1) {
            admin.merge(Admin.merge(any(rows.subList(0, rows.size() - 1), random)), told(FaultKind.MERGE));
        }
    }

    private void move(AdminStub admin, MasterState map) {
        admin.move(Admin.move(any(rows(map), random), anyServer(map)), told(FaultKind.MOVE));
    }

    private static List<Row> rows(MasterState map) {
        return new ArrayList<>(map.rows().all());
    }

    private String anyServer(MasterState map) {
        return any(new ArrayList<>(map.servers().keySet()), random);
    }

    /** Only for a while; then the server may own ranges again. */
    private void drain(AdminStub admin, MasterState map) {
        String server = anyServer(map);
        admin.drain(Admin.drain(server, false), told(FaultKind.DRAIN));
        world.after((long) (random.nextDouble() * 3_000 * MILLI), () -> {
            String leader = cluster.raft().leaderNode();
            if (leader != null) {
                Admin.of(world, process, leader).drain(Admin.drain(server, true), Admin.on(reply -> {}));
            }
        });
    }

    private void cancel(AdminStub admin, HandoffsReply underWay) {
        if (underWay.getHandoffsCount() > 0) {
            HandoffState handoff = any(underWay.getHandoffsList(), random);
            admin.cancelHandoff(
                    CancelHandoffRequest.newBuilder()
                            .setHandoff(handoff.getHandoff())
                            .build(),
                    told(FaultKind.CANCEL));
        }
    }

    private StreamObserver<CommandReply> told(FaultKind kind) {
        String name = kind.name().toLowerCase(Locale.ROOT);
        world.note("operator", "asks for a", name);
        return Admin.on(reply -> {
            String code = reply.getStatus().getCode().name();
            world.note("operator", name, code);
            world.count("operator's " + name + " " + code);
        });
    }
}
