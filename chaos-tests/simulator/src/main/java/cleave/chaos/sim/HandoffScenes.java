package cleave.chaos.sim;

import static cleave.chaos.history.Outcome.DONE;
import static cleave.chaos.history.Outcome.MISSING;
import static cleave.chaos.history.Outcome.UNKNOWN;
import static cleave.chaos.sim.MessageFilter.answer;
import static cleave.chaos.sim.MessageFilter.request;

import cleave.chaos.operation.Bodies;
import cleave.model.Incarnation;
import cleave.model.Row;
import java.util.List;
import java.util.Map;

/** Scripts about merges and moves, and events between their steps. Stateless. */
final class HandoffScenes {
    private static final String LEFT = "p1/r0";
    private static final String ALSO_LEFT = "p1/r1";
    private static final String RIGHT = "p4/r0";
    private static final String BETWEEN = "p3";
    private static final String TABLE = "lecture";
    private static final long HOUR_NANOS = 3_600_000_000_000L;

    private HandoffScenes() {}

    /** Both parts of a split use the checkpoint from before it. */
    private static Actor split(Stage stage) {
        Actor c1 = stage.writer(LEFT);
        stage.expects(c1.writes(RIGHT), DONE);
        stage.until("there is a checkpoint", () -> !stage.checkpoint(LEFT).isEmpty());
        stage.pass(1_500);
        stage.untilSplit(stage.leader(), BETWEEN);
        stage.pass(100);
        stage.must(
                "both parts have the checkpoint of the whole",
                stage.checkpoint(LEFT).equals(stage.checkpoint(RIGHT)));
        return c1;
    }

    private static void merge(Stage stage) {
        stage.merges(stage.leader(), LEFT);
        stage.until("the parts are one range again", () -> stage.map().rows().size() == 1);
    }

    static void splitDeleteMerge(Stage stage) {
        Actor c1 = split(stage);
        List<String> whole = stage.checkpoint(LEFT);
        stage.says("The range is split. c1 deletes an entity of the first part, which makes a checkpoint of its own.");
        stage.expects(c1.deletes(LEFT), DONE);
        stage.until(
                "the first part has its own checkpoint",
                () -> !stage.checkpoint(LEFT).equals(whole));
        stage.must("the other part has the old one", stage.checkpoint(RIGHT).equals(whole));
        stage.says("The other part still uses the old checkpoint, which contains that entity. They are merged.");
        merge(stage);
        stage.expects(stage.actor("c2", "f2").reads(LEFT), MISSING);
        stage.expects(stage.actor("c2", "f2").reads(RIGHT), DONE);
        stage.says("What a checkpoint contains outside its interval does not exist.");
    }

    static void mergeThenTakeover(Stage stage) {
        Actor c1 = split(stage);
        List<String> whole = stage.checkpoint(LEFT);
        stage.says(
                "The range is split. An entity of the first part is deleted, it makes a checkpoint, and is written to again.");
        stage.expects(c1.deletes(LEFT), DONE);
        stage.until(
                "the first part has its own checkpoint",
                () -> !stage.checkpoint(LEFT).equals(whole));
        stage.expects(c1.writes(ALSO_LEFT), DONE);
        merge(stage);
        Incarnation owner = stage.row(LEFT).owner();
        String server = stage.owner(LEFT);
        stage.expects(c1.writes(RIGHT), DONE);
        stage.says("The parts are merged: the manifest names two checkpoints and the logs of both. " + server
                + " crashes before it has made one of its own.");
        stage.node(server).crash();
        String taker = stage.untilTakenOver(LEFT, owner);
        stage.expects(stage.actor("c2", "f2").reads(LEFT), MISSING);
        stage.expects(stage.actor("c2", "f2").reads(ALSO_LEFT), DONE);
        stage.expects(stage.actor("c2", "f2").reads(RIGHT), DONE);
        stage.says(taker + " has restored the same state.");
    }

    static void sweepBeforeTheCommit(Stage stage) {
        Actor c1 = stage.writer(LEFT);
        String target = stage.otherThan(stage.owner(LEFT));
        Trap commit = stage.holdsAll(request("Handoff").to(SimRaft.NODE));
        stage.moves(stage.leader(), LEFT, target);
        stage.untilHeld(commit);
        int before = sweeps(stage);
        stage.says(target + " has prepared the range: its log and manifest are there, and no row names them yet."
                + " The commit is held back until the masters have swept twice.");
        stage.until("the masters have swept twice", () -> sweeps(stage) >= before + 2);
        commit.release();
        stage.until("the move is committed", () -> stage.owner(LEFT).equals(target));
        stage.expects(stage.actor("c2", "f2").reads(LEFT), DONE);
        stage.expects(c1.writes(LEFT), DONE);
        stage.says("The files carry the epoch of the source, which has not ended: no sweep may delete them.");
    }

    private static int sweeps(Stage stage) {
        return stage.world().trace().counts().getOrDefault("sweeps", 0);
    }

    static void logBreaksUnderAMove(Stage stage) {
        Actor c1 = stage.writer(LEFT);
        Row row = stage.row(LEFT);
        String source = stage.owner(LEFT);
        String target = stage.otherThan(source);
        Trap prepared = stage.holdsAll(answer("Prepare").to(source));
        stage.moves(stage.leader(), LEFT, target);
        stage.untilHeld(prepared);
        stage.says(target + " has written its manifest. Then the medium of the source's log breaks.");
        stage.dfs().breakMedium(stage.log(LEFT));
        stage.expects(c1.writes(LEFT), DONE, UNKNOWN);
        stage.expects(c1.writes(LEFT), DONE);
        Row rolled = stage.row(LEFT);
        stage.must("a new log was published", rolled.version() > row.version() && rolled.epoch() == row.epoch());
        stage.says(source + " gives up the handoff and continues in a new log, which that manifest does not name.");
        prepared.release();
        stage.pass(500);
        stage.expects(stage.actor("c2", "f2").reads(LEFT), DONE);
        stage.must("nothing was committed for the old manifest", stage.dfs().exists(stage.log(LEFT)));
    }

    static void clockAhead(Stage stage) {
        Actor c1 = stage.writer(LEFT);
        String source = stage.owner(LEFT);
        String target = stage.otherThan(source);
        stage.says("The clock of " + source + " jumps an hour ahead. It does not notice, and c1 writes.");
        stage.node(source).clock().jump(HOUR_NANOS);
        stage.expects(c1.writes(LEFT), DONE);
        stage.pass(1_000);
        stage.expects(c1.writes(LEFT), DONE);
        stage.says(source
                + " has assigned timestamps that are at most a few seconds ahead, because the leader tells it the time."
                + " It receives no more ranges. Its own is moved to " + target + ".");
        stage.untilMoved(LEFT, target);
        stage.pass(100);
        stage.expects(c1.writes(LEFT), DONE);
        stage.expects(stage.actor("c2", "f2").reads(LEFT), DONE);
        stage.says(target + " continues from the timestamps that it found, which its clock soon reaches.");
        stage.pass(10_000);
        stage.expects(c1.writes(LEFT), DONE);
        stage.moves(stage.leader(), LEFT, source);
        stage.pass(2_000);
        stage.must("no range came back to " + source, stage.owner(LEFT).equals(target));
        stage.says("The clock of " + source + " is corrected: it receives ranges again.");
        stage.node(source).clock().jump(-HOUR_NANOS);
        stage.pass(3_000);
        stage.moves(stage.leader(), LEFT, source);
        stage.until("the range came back", () -> stage.owner(LEFT).equals(source));
        stage.expects(c1.writes(LEFT), DONE);
    }

    static void unheardMove(Stage stage) {
        Actor c1 = stage.writer(LEFT);
        String target = stage.otherThan(stage.owner(LEFT));
        stage.says("f2 no longer receives updates of the map. The range is moved to " + target + ".");
        Trap deaf = stage.deafens("f2");
        stage.untilMoved(LEFT, target);
        stage.expects(c1.reads(LEFT), DONE);
        stage.says(
                target + " serves, because the source's log is sealed. c2 writes through f2, which asks the source.");
        stage.expects(stage.actor("c2", "f2").writes(LEFT), DONE);
        stage.expects(c1.reads(LEFT), DONE);
        stage.says("The source told f2 where the range is now.");
        deaf.release();
    }

    static void lostAnswerOfAMove(Stage stage) {
        Actor c1 = stage.writer(LEFT);
        String source = stage.owner(LEFT);
        String target = stage.otherThan(source);
        Trap deaf = stage.deafens("f2");
        Trap answers = stage.holdsAll(answer("CommitHandoff").to(source));
        stage.says("The range is moved to " + target + ". " + source
                + " never learns that it was committed, and continues to serve.");
        stage.untilMoved(LEFT, target);
        stage.pass(300);
        stage.expects(c1.writes(LEFT), DONE);
        stage.says(source + " has continued to serve until a master ordered " + target + " to seal its log and serve."
                + " It retries for ten seconds, then tries to publish a new log.");
        stage.pass(11_000);
        stage.says("c2 reads through f2, which has not learnt of the move.");
        ScriptedRequest read = stage.actor("c2", "f2").reads(LEFT);
        stage.pass(100);
        deaf.release();
        stage.expects(read, DONE);
        answers.release();
    }

    static void droppedThenMoved(Stage stage) {
        Actor c1 = stage.actor("c1", "f1");
        Actor c2 = stage.actor("c2", "f2");
        stage.expects(c1.sends("create table", stage.requests().createTable(TABLE)), DONE);
        stage.expects(c2.sends("insert p/old", stage.requests().insert(TABLE, Bodies.of("p", "old", Map.of()))), DONE);
        stage.says(
                "f2 has cached the table's id. The table is deleted through f1, and the drop becomes part of a manifest.");
        stage.expects(c1.sends("delete table", stage.requests().deleteTable(TABLE)), DONE);
        stage.pass(3_000);
        String target = stage.otherThan(stage.owner(LEFT));
        stage.untilMoved(LEFT, target);
        stage.pass(500);
        Trap refused = stage.watches(answer("Write").from(target).to("f2").about("TABLE_DROPPED"));
        stage.says("The range is moved to " + target + ". c2 inserts through f2.");
        ScriptedRequest insert =
                c2.sends("insert p/new", stage.requests().insert(TABLE, Bodies.of("p", "new", Map.of())));
        stage.expects(insert, MISSING, DONE);
        if (insert.outcome() == DONE) {
            stage.world().violation(Finding.By.TABLE, "an entity was written into a table that is deleted: " + insert);
        }
        stage.must("the new owner refused the dropped id", refused.hasSprung());
    }
}
