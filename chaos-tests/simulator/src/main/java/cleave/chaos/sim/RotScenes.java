package cleave.chaos.sim;

import static cleave.chaos.history.Outcome.DONE;
import static cleave.chaos.history.Outcome.UNKNOWN;
import static cleave.chaos.sim.MessageFilter.request;

import cleave.model.Incarnation;
import java.util.List;

/** Scripts about bits that rot, in local files and in the DFS. Stateless. */
final class RotScenes {
    private static final String KEY = "p1/r0";
    /** It lies in the last block of the file, with {@link #LOST_TOO}. */
    private static final String LOST = "p2/r1";

    private static final String LOST_TOO = "p2/r0";

    private RotScenes() {}

    private static Actor fourRows(Stage stage) {
        Actor c1 = stage.writer(KEY);
        for (String key : List.of("p1/r1", LOST_TOO, LOST)) {
            stage.expects(c1.writes(key), DONE);
        }
        return c1;
    }

    static void rottenFlush(Stage stage) {
        Actor c1 = fourRows(stage);
        String server = stage.owner(KEY);
        String log = stage.log(KEY);
        stage.flushes(server);
        stage.rots(server);
        stage.says(
                server + " has written the four rows to a local file, and a bit of it rots. No checkpoint has them yet,"
                        + " only the log. Nobody reads them; writes go on.");
        stage.expects(c1.writes("p3/r0"), DONE);
        stage.expects(c1.writes("p3/r1"), DONE);
        Trap upload = stage.watches(request("append").about("-checkpoint-"));
        stage.until("a checkpoint is uploaded", upload::hasSprung);
        stage.says("A checkpoint is due. The file is read for its upload, and compared.");
        stage.pass(3_000);
        Incarnation owner = stage.row(KEY).owner();
        String last = stage.owner(KEY);
        boolean isOpenedFromTheLog = stage.reaches(KEY, log) && !stage.log(KEY).equals(log);
        stage.says(last + " crashes, and another server opens the range.");
        stage.node(last).crash();
        stage.untilTakenOver(KEY, owner);
        for (String key : List.of(KEY, "p1/r1", LOST_TOO, LOST, "p3/r0", "p3/r1")) {
            stage.expects(stage.actor("c2", "f2").reads(key), DONE);
        }
        stage.must("the range was opened from its log when the rot was found", isOpenedFromTheLog);
        stage.says(
                "All that was acknowledged is there: what had gone bad was not uploaded, and the range was opened again from"
                        + " its log.");
    }

    static void rottenCheckpoint(Stage stage) {
        List<String> before = stage.checkpoint(KEY);
        Actor c1 = fourRows(stage);
        stage.until(
                "there is a checkpoint of them", () -> !stage.checkpoint(KEY).equals(before));
        List<String> files = stage.checkpoint(KEY);
        String bad = files.get(files.size() - 1);
        int at = Math.toIntExact(stage.length(bad)) - 1;
        stage.dfs().files().flip(bad, at);
        stage.says("A bit of " + bad
                + " rots in the DFS, in its last block. Its owner has a copy of its own, and crashes.");
        takeOver(stage);
        assertConfined(stage, bad, "It is fetched twice, and differs each time: it is damaged there.");
        stage.expects(c1.writes(KEY), DONE);
        stage.expects(c1.writes("p1/r2"), DONE);
        stage.until("there is another checkpoint", () -> !stage.checkpoint(KEY).equals(files));
        stage.must("it names the damaged file again", stage.checkpoint(KEY).contains(bad));
        stage.says(
                "The rows around them are written and have a checkpoint, which names the damaged file again. Its owner crashes.");
        takeOver(stage);
        assertConfined(stage, bad, "The same rows are damaged.");
        stage.expects(stage.actor("c2", "f2").reads("p1/r2"), DONE);
        stage.says("The DFS repairs the block from another copy, and an operator moves the range.");
        stage.dfs().files().flip(bad, at);
        stage.servers().forEach(server -> stage.node(server).start());
        stage.pass(2_000);
        stage.untilMoved(KEY, stage.otherThan(stage.owner(KEY)));
        stage.pass(1_000);
        stage.expects(stage.actor("c2", "f2").reads(LOST), DONE);
        stage.expects(stage.actor("c2", "f2").reads(LOST_TOO), DONE);
        stage.pass(1_000);
        stage.must("nothing is damaged any more", stage.damagedFiles(KEY).isEmpty());
    }

    private static void takeOver(Stage stage) {
        Incarnation owner = stage.row(KEY).owner();
        stage.node(stage.owner(KEY)).crash();
        stage.untilTakenOver(KEY, owner);
    }

    /** Two rows cannot be read, all others can, and the range stays open. */
    private static void assertConfined(Stage stage, String bad, String why) {
        Actor c2 = stage.actor("c2", "f2");
        stage.expects(c2.reads(KEY), DONE);
        long epoch = stage.row(KEY).epoch();
        stage.says(why + " What lies in the bad block is answered 500, all else is served, and the range stays open.");
        for (String key : List.of(LOST, LOST_TOO, LOST, LOST_TOO)) {
            ScriptedRequest lost = c2.reads(key);
            stage.expects(lost, UNKNOWN);
            stage.must("it is answered 500: " + lost, lost.toString().contains("500 InternalError"));
            stage.expects(c2.reads(KEY), DONE);
            stage.expects(c2.reads("p1/r1"), DONE);
        }
        stage.must("the range was not closed", stage.row(KEY).epoch() == epoch);
        stage.until("the leader names the file", () -> stage.damagedFiles(KEY).equals(List.of(bad)));
    }
}
