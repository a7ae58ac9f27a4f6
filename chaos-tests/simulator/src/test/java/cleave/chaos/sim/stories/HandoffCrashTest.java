package cleave.chaos.sim.stories;

import static cleave.chaos.history.Outcome.DONE;
import static org.assertj.core.api.Assertions.assertThat;

import cleave.chaos.sim.bugs.Bug;
import cleave.chaos.sim.cluster.SimSettings;
import cleave.chaos.sim.world.Finding;
import cleave.chaos.sim.world.Message;
import cleave.chaos.sim.world.Node;
import cleave.model.Incarnation;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each party crashes at each step of each use of the handoff, by enumeration: a run without a crash tells which messages there are,
 * and for each of them there is a run in which the party crashes just before it arrives. Whatever comes of the handoff, the map
 * tiles the key space, nothing is lost, and nothing is stuck.
 */
class HandoffCrashTest {
    private static final String LEFT = "p1/r0";
    private static final String RIGHT = "p4/r0";
    private static final String BETWEEN = "p3";
    /** Messages that are no step of a handoff. */
    private static final Set<String> BESIDES =
            Set.of("Heartbeat", "Watch", "Write", "Read", "Scan", "NoOp", "barrier", "GetStatus");

    private enum Use {
        SPLIT,
        MERGE,
        MOVE,
        TAKEOVER
    }

    private enum Party {
        SOURCE,
        TARGET,
        LEADER
    }

    /** A cluster just before a handoff. */
    private static final class Scene {
        private final Use use;
        private final Stage stage = new Stage(1, Bug.NONE, SimSettings.calm());
        private final Actor c1;
        private final Actor c2;
        private final Incarnation owner;
        private final String source;
        private final String target;
        private final String leader;

        Scene(Use use) {
            this.use = use;
            stage.begin();
            c1 = stage.actor("c1", "f1");
            c2 = stage.actor("c2", "f2");
            stage.expects(c1.writes(LEFT), DONE);
            stage.expects(c1.writes(RIGHT), DONE);
            leader = stage.leader();
            if (use == Use.MERGE) {
                stage.splits(leader, BETWEEN);
                stage.until("the range is split", () -> stage.map().rows().size() == 2);
                stage.expects(c1.writes(LEFT), DONE);
                stage.expects(c2.writes(RIGHT), DONE);
                stage.pass(1_000);
            }
            owner = Objects.requireNonNull(stage.row(LEFT).owner());
            source = owner.server();
            String right = stage.owner(RIGHT);
            target = right.equals(source) ? stage.otherThan(source) : right;
        }

        void ask() {
            switch (use) {
                case SPLIT -> stage.splits(leader, BETWEEN);
                case MERGE -> stage.merges(leader, LEFT);
                case MOVE -> stage.moves(leader, LEFT, target);
                case TAKEOVER -> stage.node(source).crash();
            }
        }

        boolean isDone() {
            int ranges = stage.map().rows().size();
            return switch (use) {
                case SPLIT -> ranges == 2;
                case MERGE -> ranges == 1;
                case MOVE -> stage.owner(LEFT).equals(target);
                case TAKEOVER -> !owner.equals(stage.row(LEFT).owner());
            };
        }

        String node(Party party) {
            return switch (party) {
                case SOURCE -> source;
                case TARGET -> target;
                case LEADER -> leader;
            };
        }
    }

    /** A message as it is called in every run: files by their kind. */
    private static String step(Message message) {
        String file =
                message.about().startsWith("ranges/") ? message.about().replaceAll(".*-([a-z]+)-[0-9]+$", " $1") : "";
        return (message.isAnswer() ? "the answer to " : "") + message.what() + file + " " + message.from() + " -> "
                + message.to();
    }

    private static Set<String> stepsOf(Use use) {
        Scene scene = new Scene(use);
        Set<String> steps = new LinkedHashSet<>();
        scene.stage.trap(
                "each step",
                message -> !BESIDES.contains(message.what()) && steps.add(step(message)),
                Trap.Mode.WATCHING);
        scene.ask();
        scene.stage.until("the handoff is done", scene::isDone);
        scene.stage.pass(300);
        return steps;
    }

    static Stream<Arguments> crashes() {
        return Stream.of(Use.values()).flatMap(use -> Stream.of(Party.values()).map(party -> Arguments.of(use, party)));
    }

    @ParameterizedTest
    @MethodSource("crashes")
    void aPartyMayCrashAtEachStep(Use use, Party party) {
        Set<String> steps = stepsOf(use);

        assertThat(steps).hasSizeGreaterThan(10);
        assertThat(steps)
                .allSatisfy(step -> assertThat(crashAt(use, party, step))
                        .as("%s: %s crashes before %s", use, party, step)
                        .isEmpty());
    }

    private static List<Finding> crashAt(Use use, Party party, String step) {
        Scene scene = new Scene(use);
        Stage stage = scene.stage;
        Trap trap = stage.trap(step, message -> step(message).equals(step), Trap.Mode.HOLDING_ONE);
        scene.ask();
        stage.untilHeld(trap);
        scene.c1.writes(LEFT);
        scene.c2.writes(RIGHT);
        Node node = stage.node(scene.node(party));
        if (node.isUp()) {
            node.crash();
        } else {
            node.start(); // Who was taken for dead is back.
        }
        trap.release();
        stage.pass(4_000);
        stage.end();
        return stage.world().violations();
    }
}
