package cleave.chaos.sim.faults;

import static cleave.chaos.sim.world.World.any;

import cleave.chaos.sim.cluster.Admin;
import cleave.chaos.sim.cluster.SimCluster;
import cleave.chaos.sim.cluster.SimWorkload;
import cleave.chaos.sim.world.Dice;
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
    private final Dice random;
    private final List<FaultKind> wanted;
    private final Agenda agenda;
    private boolean over;

    Operator(SimCluster cluster, SimProcess process, Set<FaultKind> kinds, Agenda agenda) {
        this.world = cluster.world();
        this.cluster = cluster;
        this.process = process;
        this.random = world.newDice();
        this.agenda = agenda;
        this.wanted = EnumSet.copyOf(FaultKind.ASKED_FOR).stream()
                .filter(kinds::contains)
                .toList();
    }

    void begin() {
        wanted.forEach(kind -> world.count("fault " + kind));
        agenda.replay(FaultKind.ASKED_FOR::contains, List.of(random), kind -> {
            if (!over) {
                ask(kind);
                later();
            }
        });
        later();
    }

    void end() {
        over = true;
    }

    /** Draws when it asks next, also if a list says so: a late answer then draws what it drew. */
    private void later() {
        long pause = (long) (random.nextDouble() * PAUSE_NANOS_MAX);
        if (agenda.isGiven()) {
            return;
        }
        world.after(pause, () -> {
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
        List<Long> states = Agenda.states(List.of(random));
        String about = switch (kind) {
            case SPLIT -> split(admin, map);
            case MERGE -> merge(admin, map);
            case MOVE -> move(admin, map);
            case DRAIN -> drain(admin, map);
            case CANCEL -> {
                admin.listHandoffs(HandoffsRequest.getDefaultInstance(), Admin.on(reply -> cancel(admin, reply)));
                yield "any";
            }
            default -> throw new IllegalArgumentException(kind + " is nothing that one asks for");
        };
        if (!about.isEmpty()) {
            agenda.struck(kind, states, about);
        }
    }

    /** Whom the request concerns; nothing if there is none. */
    private String split(AdminStub admin, MasterState map) {
        if (map.rows().all().size() >= RANGES_MAX) {
            return "";
        }
        List<String> partitions = new ArrayList<>();
        for (int parts = random.nextInt(4) == 0 ? 2 : 1; parts > 0; parts--) {
            partitions.add("p" + random.nextInt(SimWorkload.PARTITIONS));
        }
        admin.split(Admin.split(partitions), reported(FaultKind.SPLIT));
        return "at " + String.join(" ", partitions);
    }

    /** Merges a range with its right neighbour. */
    private String merge(AdminStub admin, MasterState map) {
        List<Row> rows = rows(map);
        if (rows.size() < 2) {
            return "";
        }
        Row left = any(rows.subList(0, rows.size() - 1), random);
        admin.merge(Admin.merge(left), reported(FaultKind.MERGE));
        return "range " + Row.idText(left.id()) + " and the next";
    }

    private String move(AdminStub admin, MasterState map) {
        Row row = any(rows(map), random);
        String server = anyServer(map);
        admin.move(Admin.move(row, server), reported(FaultKind.MOVE));
        return "range " + Row.idText(row.id()) + " to " + server;
    }

    private static List<Row> rows(MasterState map) {
        return new ArrayList<>(map.rows().all());
    }

    private String anyServer(MasterState map) {
        return any(new ArrayList<>(map.servers().keySet()), random);
    }

    /** Only for a while; then the server may own ranges again. */
    private String drain(AdminStub admin, MasterState map) {
        String server = anyServer(map);
        admin.drain(Admin.drain(server, false), reported(FaultKind.DRAIN));
        world.after((long) (random.nextDouble() * 3_000 * MILLI), () -> {
            String leader = cluster.raft().leaderNode();
            if (leader != null) {
                Admin.of(world, process, leader).drain(Admin.drain(server, true), Admin.on(reply -> {}));
            }
        });
        return server;
    }

    private void cancel(AdminStub admin, HandoffsReply underWay) {
        if (underWay.getHandoffsCount() > 0) {
            HandoffState handoff = any(underWay.getHandoffsList(), random);
            admin.cancelHandoff(
                    CancelHandoffRequest.newBuilder()
                            .setHandoff(handoff.getHandoff())
                            .build(),
                    reported(FaultKind.CANCEL));
        }
    }

    private StreamObserver<CommandReply> reported(FaultKind kind) {
        String name = kind.name().toLowerCase(Locale.ROOT);
        world.note("operator", "asks for a", name);
        return Admin.on(reply -> {
            String code = reply.getStatus().getCode().name();
            world.note("operator", name, code);
            world.count("operator's " + name + " " + code);
        });
    }
}
