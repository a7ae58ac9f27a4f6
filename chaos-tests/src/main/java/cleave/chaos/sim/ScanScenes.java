package cleave.chaos.sim;

import static cleave.chaos.history.Outcome.DONE;
import static cleave.chaos.history.Outcome.MISSING;
import static cleave.chaos.sim.Which.answer;
import static cleave.chaos.sim.Which.request;

import cleave.chaos.fault.Bodies;
import java.util.List;
import java.util.Map;

/** Scripts about scans, and front ends that are behind. Stateless. */
final class ScanScenes {
    private static final List<String> PAIR = List.of("q0/a", "q0/b");

    private static final String TABLE = "lecture";

    private ScanScenes() {}

    static void oneSplitBehind(Stage stage) {
        Actor c1 = stage.actor("c1", "f1");
        for (int partition = 0; partition < Workload.PARTITIONS; partition++) {
            stage.expects(c1.writes("p" + partition + "/r0"), DONE);
        }
        stage.says("f2 hears no more about the map. Then the range is split before p3.");
        Trap deaf = stage.deafens("f2");
        stage.splits(stage.leader(), "p3");
        stage.until("the range is split", () -> stage.map().rows().size() == 2);
        stage.expects(c1.writes("p5/r1"), DONE);
        Trap refused = stage.watches(answer("Scan").to("f2").about("NOT_OWNER"));
        stage.says("c2 scans the table through f2, by the map of before.");
        stage.expects(stage.actor("c2", "f2").scans(), DONE);
        stage.must("f2 was behind", refused.hasSprung());
        stage.must("the scan came to its end", stage.world().trace().counts().containsKey("scans to the end"));
        stage.says("Each server says up to which key it has looked, and f2 went on from there, not from its own map.");
        deaf.release();
    }

    static void transactionBetweenTwoCalls(Stage stage) {
        Actor c1 = stage.actor("c1", "f1");
        stage.expects(c1.writes("p1/r0"), DONE);
        stage.expects(c1.writesTogether(PAIR), DONE);
        stage.splits(stage.leader(), "q0");
        stage.until("the range is split", () -> stage.map().rows().size() == 2);
        stage.expects(c1.writesTogether(PAIR), DONE);
        Trap first = stage.holds(answer("Scan").to("f2"));
        stage.says("c2 scans. A page of it takes two calls, one a range. The answer to the first is held back.");
        Asked scan = stage.actor("c2", "f2").scans();
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
                "f2 knows the table's id now, and trusts it for half a minute. Through f1 the table is deleted and made again.");
        stage.expects(c1.sends("delete table", stage.requests().deleteTable(TABLE)), DONE);
        stage.expects(c1.sends("create table", stage.requests().createTable(TABLE)), DONE);
        stage.expects(c1.sends("insert p/new", stage.requests().insert(TABLE, Bodies.of("p", "new", Map.of()))), DONE);
        Trap refused = stage.watches(answer("Read").to("f2").about("TABLE_DROPPED"));
        stage.says("c2 reads through f2. The range refuses the dropped id, so f2 asks the registry for the new one.");
        stage.expects(c2.sends("get p/new", stage.requests().get(TABLE, "p", "new")), DONE);
        stage.must("f2 was behind", refused.hasSprung());
        stage.expects(c2.sends("get p/old", stage.requests().get(TABLE, "p", "old")), MISSING);
        stage.says("Nothing of the deleted table is in the new one.");
    }
}
