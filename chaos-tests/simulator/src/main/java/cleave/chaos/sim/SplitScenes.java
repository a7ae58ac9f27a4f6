package cleave.chaos.sim;

import static cleave.chaos.history.Outcome.DONE;
import static cleave.chaos.sim.MessageFilter.answer;
import static cleave.chaos.sim.MessageFilter.request;

import cleave.model.Incarnation;
import cleave.model.Row;
import java.util.Objects;

/** Scripts about splits. Stateless. */
final class SplitScenes {
    private static final String LEFT = "p1/r0";
    private static final String RIGHT = "p4/r0";
    private static final String BETWEEN = "p3";

    private SplitScenes() {}

    private static Actor writer(Stage stage) {
        Actor c1 = stage.writer(LEFT);
        stage.expects(c1.writes(RIGHT), DONE);
        return c1;
    }

    static void delayedCommit(Stage stage) {
        Actor c1 = writer(stage);
        Row row = stage.row(LEFT);
        String owner = stage.owner(LEFT);
        Trap commit = stage.holdsAll(request("Handoff").to(SimRaft.NODE));
        stage.says(
                "An operator asks for a split. " + owner + " has all prepared and commits. The commit is held back.");
        stage.splits(stage.leader(), BETWEEN);
        stage.untilHeld(commit);
        stage.expects(c1.writes(RIGHT), DONE);
        stage.says(
                owner
                        + " continues to serve. The outcome of the commit is unknown to it; after ten seconds it gives up and publishes a new log.");
        stage.until("a new log is published", () -> stage.row(LEFT).version() > row.version());
        stage.says(
                "It still owns the range. c1 writes to the new log, which the parts of the split would not include.");
        stage.expects(c1.writes(RIGHT), DONE);
        Row resumed = stage.row(LEFT);
        Trap refused = stage.watches(answer("Handoff").about("STALE_VERSION"));
        stage.says("The commit arrives. Its version is outdated.");
        commit.release();
        stage.pass(500);
        stage.expects(stage.actor("c2", "f2").reads(RIGHT), DONE);
        stage.must("the commit was refused", refused.hasSprung());
        stage.must("the row is as it was", stage.row(LEFT).equals(resumed));
    }

    static void crashBeforeTheSeal(Stage stage) {
        writer(stage);
        Incarnation owner = stage.row(LEFT).owner();
        String server = stage.owner(LEFT);
        Trap seal = stage.holdsAll(request("seal").from(server).about("-log-"));
        stage.says("An operator asks for a split. It is committed; " + server
                + " has drained, and asks for its log's seal, which is held back.");
        stage.splits(stage.leader(), BETWEEN);
        stage.untilHeld(seal);
        stage.says(server + " crashes. The seal of its split is lost.");
        stage.node(server).crash();
        stage.must("the split is committed", stage.map().rows().size() == 2);
        seal.lose();
        String taker = stage.untilTakenOver(LEFT, owner);
        stage.says("Both parts' manifests name the log. " + taker + " has sealed it instead, and takes its part over.");
        stage.expects(stage.actor("c2", "f2").reads(LEFT), DONE);
        stage.expects(stage.actor("c2", "f2").reads(RIGHT), DONE);
    }

    static void commitToADeadTarget(Stage stage) {
        Actor c1 = writer(stage);
        Incarnation owner = stage.row(LEFT).owner();
        String server = stage.owner(LEFT);
        Trap commit = stage.holdsAll(request("Handoff").to(SimRaft.NODE));
        stage.says("An operator asks for a split. " + server + " keeps one part, the other is for another server.");
        stage.splits(stage.leader(), BETWEEN);
        stage.untilHeld(commit);
        stage.says("Before the commit enters the log, all other servers crash and are declared dead.");
        stage.servers().stream()
                .filter(other -> !other.equals(server))
                .forEach(other -> stage.node(other).crash());
        stage.until("they are declared dead", () -> stage.map().servers().size() == 1);
        Trap refused = stage.watches(answer("Handoff").about("INVALID"));
        commit.release();
        stage.until("the commit was refused", refused::hasSprung);
        stage.says("A range is assigned to live incarnations only. " + server + " continues with the whole range.");
        stage.expects(c1.writes(RIGHT), DONE);
        stage.expects(stage.actor("c2", "f2").reads(LEFT), DONE);
        stage.must(
                "the owner is the same",
                owner != null && owner.equals(stage.row(LEFT).owner()));
    }

    static void oneChildIsTakenOver(Stage stage) {
        Actor c1 = writer(stage);
        stage.untilSplit(stage.leader(), BETWEEN);
        stage.expects(c1.writes(LEFT), DONE);
        stage.expects(c1.writes(RIGHT), DONE);
        String left = stage.owner(LEFT);
        String right = stage.owner(RIGHT);
        Incarnation owner = stage.row(RIGHT).owner();
        stage.must("the parts are on two servers", !left.equals(right));
        Trap seals = stage.holdsAll(request("seal").about("-log-"));
        stage.says("The range is split between " + left + " and " + right
                + ". The latter crashes; the seals of the takeover, of the"
                + " log that both came from, too, are held back.");
        stage.node(right).crash();
        stage.untilHeld(seals);
        stage.expects(c1.writes(LEFT), DONE);
        stage.expects(stage.actor("c2", "f2").reads(LEFT), DONE);
        stage.must(
                "the other part is still being taken over",
                Objects.equals(stage.row(RIGHT).owner(), owner));
        stage.says("The first part is served meanwhile. The seals are carried out.");
        seals.release();
        stage.untilTakenOver(RIGHT, owner);
        stage.expects(stage.actor("c2", "f2").reads(RIGHT), DONE);
    }
}
