package cleave.chaos.sim.cluster;

import cleave.chaos.history.EntityKey;
import cleave.chaos.history.OperationKind;
import cleave.chaos.history.Outcome;
import cleave.chaos.sim.world.Finding;
import cleave.chaos.sim.world.Node;
import cleave.chaos.sim.world.SimProcess;
import cleave.chaos.sim.world.World;
import cleave.wire.HandoffState;
import cleave.wire.HandoffsRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Checks, once every key is served again after all faults, that each request through any front end completes soon, even
 * during handoffs, and that nothing remains after the last answer.
 */
final class CalmCheck {
    private static final long SECOND = 1_000_000_000L;
    private static final long ANSWER_NANOS_MAX = 2 * SECOND;
    private static final long HANDOFF_NANOS_MAX = 20 * SECOND;
    private static final int PAUSE_NANOS_MAX = 100_000_000;
    /** Clients of a run have smaller numbers. */
    private static final int FIRST_CLIENT = 1_000;

    private final World world;
    private final SimCluster cluster;
    private final SimWorkload workload;
    private final SimProcess operator;
    private final Random random;
    private final List<Asker> askers = new ArrayList<>();
    private boolean over;

    /** @param operator asks the leader which handoffs are in progress */
    CalmCheck(SimCluster cluster, SimWorkload workload, SimProcess operator) {
        this.world = cluster.world();
        this.cluster = cluster;
        this.workload = workload;
        this.operator = operator;
        this.random = world.newRandom();
    }

    /** Starts sending each front end one request at a time. */
    void begin() {
        for (Node frontEnd : cluster.frontEnds()) {
            int number = FIRST_CLIENT + askers.size();
            SimClient client = new SimClient(cluster, workload, "c" + number, List.of(frontEnd.name()), number);
            Asker asker = new Asker(client, frontEnd);
            askers.add(asker);
            asker.next();
        }
    }

    /** Stops the requests and checks that nothing remains. */
    void end() {
        over = true;
        world.runUntil(world.now() + 2 * ANSWER_NANOS_MAX, () -> askers.stream().allMatch(Asker::isIdle));
        judgeHandoffs();
        world.runUntil(world.now() + ANSWER_NANOS_MAX, () -> waiting().isEmpty());
        if (!waiting().isEmpty()) {
            violation("all clients have stopped, but requests still wait at " + waiting());
        }
    }

    /** The servers with unanswered requests. */
    private List<String> waiting() {
        return cluster.servers().stream()
                .filter(server -> cluster.roles().requestsInside(server) != 0)
                .map(Node::name)
                .toList();
    }

    /** Each handoff that is under way ends; the balancer may begin others. */
    private void judgeHandoffs() {
        Set<Long> left = underWay();
        long bound = world.now() + HANDOFF_NANOS_MAX;
        while (world.violations().isEmpty() && (left == null || !left.isEmpty())) {
            if (world.now() > bound) {
                violation("handoffs do not end: " + left);
                return;
            }
            world.runFor(SECOND / 5);
            Set<Long> now = underWay();
            if (left == null) {
                left = now;
            } else if (now != null) {
                left.retainAll(now);
            }
        }
    }

    /** The numbers of handoffs that the leader lists; null without an answer. */
    private @Nullable Set<Long> underWay() {
        String leader = cluster.raft().leaderNode();
        List<Set<Long>> told = new ArrayList<>();
        if (leader != null) {
            Admin.of(world, operator, leader).listHandoffs(HandoffsRequest.getDefaultInstance(), Admin.on(reply -> {
                TreeSet<Long> numbers = new TreeSet<>();
                reply.getHandoffsList().stream().map(HandoffState::getHandoff).forEach(numbers::add);
                told.add(numbers);
            }));
            world.runUntil(world.now() + ANSWER_NANOS_MAX, () -> !told.isEmpty());
        }
        return told.isEmpty() ? null : told.get(0);
    }

    private void violation(String what) {
        if (world.violations().isEmpty()) {
            world.violation(Finding.By.CONVERGENCE, what);
        }
    }

    /** Sends one front end one request after another. */
    private final class Asker {
        private final SimClient client;
        private final Node frontEnd;
        private boolean idle = true;

        Asker(SimClient client, Node frontEnd) {
            this.client = client;
            this.frontEnd = frontEnd;
        }

        boolean isIdle() {
            return idle;
        }

        void next() {
            if (over) {
                return;
            }
            EntityKey key = workload.randomKey(random);
            OperationKind kind = workload.randomKind(random);
            long asked = world.now();
            boolean[] answered = new boolean[1];
            idle = false;
            client.operate(key, kind, result -> {
                answered[0] = true;
                idle = true;
                if (result.outcome() == Outcome.UNKNOWN || result.outcome() == Outcome.NOT_EXECUTED) {
                    violation("without faults " + kind + " of " + key + " through " + frontEnd + ", asked at " + asked
                            + " ns, was answered " + result);
                }
                world.after(random.nextInt(PAUSE_NANOS_MAX), this::next);
            });
            world.after(ANSWER_NANOS_MAX, () -> {
                if (!answered[0]) {
                    violation("without faults " + kind + " of " + key + " through " + frontEnd + " has no answer after "
                            + ANSWER_NANOS_MAX / SECOND + " seconds");
                }
            });
        }
    }
}
