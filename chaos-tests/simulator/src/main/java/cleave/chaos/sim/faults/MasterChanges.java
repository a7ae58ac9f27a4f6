package cleave.chaos.sim.faults;

import cleave.chaos.sim.cluster.Admin;
import cleave.chaos.sim.cluster.SimCluster;
import cleave.chaos.sim.raft.SimRaft;
import cleave.chaos.sim.world.Dice;
import cleave.chaos.sim.world.Node;
import cleave.chaos.sim.world.SimProcess;
import cleave.chaos.sim.world.World;
import cleave.wire.ChangeMastersRequest;
import cleave.wire.ErrorCode;
import cleave.wire.MasterPeer;
import cleave.wire.Status;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An operator who adds, removes and replaces masters, one at a time, and repeats an interrupted change. At the end,
 * each member that has lost its folder is replaced by itself.
 */
final class MasterChanges {
    private static final long SECOND = 1_000_000_000L;
    private static final long AGAIN_NANOS = SECOND / 2;
    private static final int TRIES = 8;

    private final World world;
    private final SimCluster cluster;
    private final SimRaft raft;
    private final SimProcess operator;
    private final Dice random;
    private final Agenda agenda;
    private boolean over;

    MasterChanges(SimCluster cluster, SimProcess operator, Agenda agenda) {
        this.world = cluster.world();
        this.cluster = cluster;
        this.raft = cluster.raft();
        this.operator = operator;
        this.random = world.newDice();
        this.agenda = agenda;
    }

    /** @param blanks started masters that do not belong to a cluster yet */
    void begin(int blanks) {
        cluster.addBlankMasters(blanks);
        cluster.masters().forEach(Node::start);
        agenda.replay(kind -> kind == FaultKind.CHANGED_MASTERS, List.of(random), kind -> {
            if (!over) {
                change();
            }
        });
        later();
    }

    /** From now on, it only repairs what was lost. */
    void end() {
        over = true;
        if (agenda.isGiven()) {
            later();
        }
    }

    private void later() {
        long pause = (long) (random.nextDouble() * 5 * SECOND);
        if (!over && agenda.isGiven()) {
            return;
        }
        world.after(pause, () -> {
            if (!over) {
                change();
                return;
            }
            ChangeMastersRequest repair = repair();
            if (repair != null) {
                ask(repair, TRIES);
            } else if (isBroken()) {
                later();
            }
        });
    }

    private void change() {
        List<Long> states = Agenda.states(List.of(random));
        ChangeMastersRequest request = any();
        if (request == null) {
            later();
        } else {
            agenda.struck(FaultKind.CHANGED_MASTERS, states, text(request));
            ask(request, TRIES);
        }
    }

    private boolean isBroken() {
        return raft.leaderNode() == null || repair() != null;
    }

    /** Sends the request to the leader, repeatedly until it is done or refused. */
    private void ask(ChangeMastersRequest request, int tries) {
        String leader = raft.leaderNode();
        if (leader == null) {
            again(request, tries);
            return;
        }
        boolean[] heard = new boolean[1];
        world.note("operator", "changes masters", text(request));
        Admin.of(world, operator, leader).changeMasters(request, Admin.on(reply -> {
            heard[0] = true;
            answered(request, tries, reply.getStatus());
        }));
        world.after(Admin.PATIENCE_NANOS, () -> {
            if (!heard[0]) {
                again(request, tries);
            }
        });
    }

    private void answered(ChangeMastersRequest request, int tries, Status status) {
        String act = !request.hasIn() ? "remove" : request.getOut().isEmpty() ? "add" : "replace";
        world.note("operator", act, status.getCode() + " " + status.getMessage());
        world.count("operator's " + act + " of a master " + status.getCode());
        ErrorCode code = status.getCode();
        if (code == ErrorCode.OK || code == ErrorCode.CONDITION_FAILED || code == ErrorCode.INVALID) {
            later();
        } else {
            again(request, tries);
        }
    }

    private void again(ChangeMastersRequest request, int tries) {
        if (tries > 1) {
            world.after(AGAIN_NANOS, () -> ask(request, tries - 1));
        } else {
            later();
        }
    }

    private static String text(ChangeMastersRequest request) {
        return request.getOut() + " by " + request.getIn().getId();
    }

    private @Nullable ChangeMastersRequest any() {
        List<MasterPeer> members = raft.members().now();
        List<String> outsiders = new ArrayList<>();
        for (Node master : cluster.masters()) {
            if (members.stream().noneMatch(member -> member.getId().equals(master.name()))) {
                outsiders.add(master.name());
            }
        }
        if (members.isEmpty()) {
            return null;
        }
        MasterPeer member = World.any(members, random);
        String outsider = outsiders.isEmpty() ? null : World.any(outsiders, random);
        return switch (random.nextInt(4)) {
            case 0 -> outsider == null ? null : Admin.change("", outsider);
            case 1 -> members.size() < 3 ? null : Admin.change(member.getMember(), "");
            case 2 -> outsider == null ? null : Admin.change(member.getMember(), outsider);
            default -> Admin.change(member.getMember(), member.getId());
        };
    }

    /** A member whose folder lacks what the others count on must be replaced by itself. */
    private @Nullable ChangeMastersRequest repair() {
        for (MasterPeer member : raft.members().now()) {
            if (!raft.member(member.getId()).self().equals(member.getMember())) {
                return Admin.change(member.getMember(), member.getId());
            }
        }
        return null;
    }
}
