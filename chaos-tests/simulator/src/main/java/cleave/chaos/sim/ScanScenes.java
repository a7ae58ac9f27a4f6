package cleave.chaos.sim;

import static cleave.chaos.history.Outcome.DONE;
import static cleave.chaos.history.Outcome.MISSING;
import static cleave.chaos.sim.MessageFilter.answer;
import static cleave.chaos.sim.MessageFilter.request;

import cleave.chaos.operation.Bodies;
import java.util.List;
import java.util.Map;

/** Scripts about scans and front ends with outdated maps. Stateless. */
final class ScanScenes {
    private static final List<String> PAIR = List.of("q0/a", "q0/b");

    private static final String TABLE = "lecture";

    private ScanScenes() {}

    static void oneSplitBehind(Stage stage) {
        Actor c1 = stage.actor("c1", "f1");
        for (int partition = 0; partition < Workload.PARTITIONS; partition++) {
            stage.expects(c1.writes("p" + partition + "/r0"), DONE);
        }
        stage.says("f2 no longer receives updates of the map. Then the range is split before p3.");
        Trap deaf = stage.deafens("f2");
        stage.untilSplit(stage.leader(), "p3");
        stage.expects(c1.writes("p5/r1"), DONE);
        Trap refused = stage.watches(answer("Scan").to("f2").about("NOT_OWNER"));
        stage.says("c2 scans the table through f2, by the old map.");
        stage.expects(stage.actor("c2", "f2").scans(), DONE);
        stage.must("f2 was behind", refused.hasSprung());
        stage.must("the scan came to its end", stage.world().trace().counts().containsKey("scans to the end"));
        stage.says(
                "Each server reports the key up to which it has scanned, and f2 continued from there, not by its own map.");
        deaf.release();
    }

    static void transactionBetweenTwoCalls(Stage stage) {
        Actor c1 = stage.writer("p1/r0");
        stage.expects(c1.writesTogether(PAIR), DONE);
        stage.untilSplit(stage.leader(), "q0");
        stage.expects(c1.writesTogether(PAIR), DONE);
        Trap first = stage.holds(answer("Scan").to("f2"));
        stage.says("c2 scans. A page of it takes two calls, one a range. The answer to the first is held back.");
        ScriptedRequest scan = stage.actor("c2", "f2").scans();
        stage.untilHeld(first);
        stage.says("Between the two, c1 writes two rows of the second range in one transaction.");
        stage.expects(c1.writesTogether(PAIR), DONE);
        Trap second = stage.watches(request("Scan").from("f2"));
        first.release();
        stage.expects(scan, DONE);
        stage.must("there was a second call", second.hasSprung());
        stage.says("Both rows are of one transaction: a partition is read by one call, or the page ends inside of it.");
    }

    static void tableDeletedAndCreatedAgain(Stage stage) {
        Actor c1 = stage.actor("c1", "f1");
        Actor c2 = stage.actor("c2", "f2");
        stage.expects(c1.sends("create table", stage.requests().createTable(TABLE)), DONE);
        stage.expects(c2.sends("insert p/old", stage.requests().insert(TABLE, Bodies.of("p", "old", Map.of()))), DONE);
        stage.says(
                "f2 has cached the table's id for half a minute. The table is deleted and created again through f1.");
        stage.expects(c1.sends("delete table", stage.requests().deleteTable(TABLE)), DONE);
        stage.expects(c1.sends("create table", stage.requests().createTable(TABLE)), DONE);
        stage.expects(c1.sends("insert p/new", stage.requests().insert(TABLE, Bodies.of("p", "new", Map.of()))), DONE);
        Trap refused = stage.watches(answer("Read").to("f2").about("TABLE_DROPPED"));
        stage.says("c2 reads through f2. The range refuses the dropped id, so f2 asks the registry for the new one.");
        stage.expects(c2.sends("get p/new", stage.requests().get(TABLE, "p", "new")), DONE);
        stage.must("f2 was behind", refused.hasSprung());
        stage.expects(c2.sends("get p/old", stage.requests().get(TABLE, "p", "old")), MISSING);
        stage.says("The new table contains nothing of the deleted one.");
    }
}
