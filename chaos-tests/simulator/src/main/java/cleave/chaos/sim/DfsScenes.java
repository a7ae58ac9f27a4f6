package cleave.chaos.sim;

import static cleave.chaos.history.Outcome.DONE;
import static cleave.chaos.history.Outcome.NOT_EXECUTED;
import static cleave.chaos.history.Outcome.UNKNOWN;
import static cleave.chaos.sim.MessageFilter.request;

import java.util.List;

/** Scripts about clusters whose DFS was copied. Stateless. */
final class DfsScenes {
    private static final String KEY = "p1/r0";

    private DfsScenes() {}

    private static void start(Stage stage, List<String> nodes) {
        nodes.forEach(each -> stage.node(each).start());
    }

    private static void crash(Stage stage, List<String> nodes) {
        nodes.forEach(each -> stage.node(each).crash());
    }

    private static List<String> allBut(String one, List<String> all) {
        return all.stream().filter(each -> !each.equals(one)).toList();
    }

    /** The DFS of the cluster, once the masters have replicated which one it is. */
    private static String known(Stage stage) {
        stage.until("the masters know their DFS", () -> !stage.map().dfs().isEmpty());
        return stage.map().dfs();
    }

    /** The newest state names the copy, to which the masters have gone. */
    private static void untilMoved(Stage stage, String before) {
        stage.until("the masters go on in the copy", () -> !stage.map().dfs().equals(before));
    }

    static void forgottenServer(Stage stage) {
        forgottenServer(stage, () -> {});
    }

    /** Nobody has used the first copy, so the state does not name it. */
    static void copyOfACopy(Stage stage) {
        forgottenServer(stage, () -> {
            stage.says("The copy is copied once more, and that is the DFS from now on.");
            stage.copiesTheCopy();
        });
    }

    private static void forgottenServer(Stage stage, Runnable copied) {
        Actor c1 = stage.writer(KEY);
        String before = known(stage);
        String forgotten = stage.owner(KEY);
        stage.says("All masters and servers stop, and the DFS is copied. An operator sets dfs to the copy, but forgets "
                + forgotten + ", which owned the range.");
        crash(stage, stage.servers());
        crash(stage, stage.masters());
        stage.copiesDfs();
        copied.run();
        stage.dfsMistakes().moveAllBut(stage.node(forgotten));
        stage.says("The masters start, and " + forgotten + " is the first of the servers.");
        start(stage, stage.masters());
        stage.node(forgotten).start();
        untilMoved(stage, before);
        ScriptedRequest write = c1.writes(KEY);
        stage.pass(5_000);
        stage.says("It uses another DFS than the leader, which does not admit it: nobody would find what it wrote"
                + " there. The other servers start.");
        start(stage, allBut(forgotten, stage.servers()));
        stage.expects(write, DONE, UNKNOWN, NOT_EXECUTED);
        stage.expects(c1.writes(KEY), DONE);
        stage.must(forgotten + " does not own the range", !stage.owner(KEY).equals(forgotten));
        stage.expects(stage.actor("c2", "f2").reads(KEY), DONE);
    }

    static void forgottenMaster(Stage stage) {
        Actor c1 = stage.writer(KEY);
        String before = known(stage);
        stage.says("All masters and servers stop, and the DFS is copied. They start with the copy.");
        crash(stage, stage.servers());
        crash(stage, stage.masters());
        String forgotten = stage.masters().get(1);
        stage.copiesDfs();
        stage.dfsMistakes().moveAllBut(stage.node(forgotten));
        start(stage, allBut(forgotten, stage.masters()));
        start(stage, stage.servers());
        untilMoved(stage, before);
        stage.expects(c1.writes(KEY), DONE);
        stage.says("The setting of " + forgotten
                + " was forgotten, so it still uses the old DFS. It starts as the last one, and" + " comes to lead.");
        stage.node(forgotten).start();
        untilLeads(stage, forgotten);
        stage.says(
                "The state names another DFS than its own: it changes nothing, and after a while hands leadership over.");
        stage.until("another master leads", () -> {
            String leader = stage.raft().leaderNode();
            return leader != null && !leader.equals(forgotten);
        });
        stage.node(stage.owner(KEY)).crash();
        stage.until("the range has a new owner", () -> stage.isServed(KEY));
        stage.expects(c1.writes(KEY), DONE);
        stage.expects(stage.actor("c2", "f2").reads(KEY), DONE);
    }

    private static void untilLeads(Stage stage, String master) {
        stage.until(master + " leads", () -> {
            if (!master.equals(stage.raft().leaderNode())) {
                stage.raft().depose();
                stage.pass(2_000);
            }
            return master.equals(stage.raft().leaderNode());
        });
    }

    static void serverLeftRunning(Stage stage) {
        Actor c1 = stage.writer(KEY);
        String before = known(stage);
        String left = stage.owner(KEY);
        stage.says("All masters and servers but " + left + " stop, and the DFS is copied. " + left
                + ", which owns the range, has nothing to do.");
        crash(stage, allBut(left, stage.servers()));
        crash(stage, stage.masters());
        stage.copiesDfs();
        stage.dfsMistakes().moveAllBut(stage.node(left));
        Trap publish = stage.holdsAll(request("Publish").from(left));
        stage.says("A client writes. " + left + " finds its log sealed, makes another one in the old DFS, and asks the"
                + " masters to publish it. The masters start with the copy.");
        ScriptedRequest write = c1.writes(KEY);
        stage.pass(1_000);
        start(stage, stage.masters());
        untilMoved(stage, before);
        stage.until(left + " publishes", publish::hasSprung);
        publish.release();
        stage.pass(2_000);
        stage.says("Every server was registered on the old DFS, so none is live any more, and the masters refuse the"
                + " log. The other servers start.");
        start(stage, allBut(left, stage.servers()));
        stage.expects(write, DONE, UNKNOWN, NOT_EXECUTED);
        stage.expects(c1.writes(KEY), DONE);
        stage.must(left + " does not own the range", !stage.owner(KEY).equals(left));
        stage.expects(stage.actor("c2", "f2").reads(KEY), DONE);
    }

    static void outdatedCopy(Stage stage) {
        outdatedCopy(stage, () -> {});
    }

    static void outdatedCopyOfACopy(Stage stage) {
        outdatedCopy(stage, () -> {
            stage.says("The copy is copied once more.");
            stage.copiesTheCopy();
        });
    }

    private static void outdatedCopy(Stage stage, Runnable copied) {
        Actor c1 = stage.writer(KEY);
        String before = known(stage);
        stage.says("All masters and servers stop, and the DFS is copied. The operator decides to stay with the old DFS,"
                + " where the cluster goes on.");
        crash(stage, stage.servers());
        crash(stage, stage.masters());
        stage.copiesDfs();
        copied.run();
        start(stage, stage.masters());
        start(stage, stage.servers());
        stage.until("the range has a new owner", () -> stage.isServed(KEY));
        stage.expects(c1.writes(KEY), DONE);
        String mistaken = stage.masters().get(2);
        stage.says("Later " + mistaken + " is restarted with the copy, and comes to lead.");
        stage.node(mistaken).crash();
        stage.dfsMistakes().moveOnly(stage.node(mistaken));
        stage.node(mistaken).start();
        untilLeads(stage, mistaken);
        stage.pass(5_000);
        stage.expects(c1.writes(KEY), DONE);
        stage.must("the cluster's DFS is the old one", stage.map().dfs().equals(before));
        stage.says("The copy lacks a manifest that the map names: the cluster went on after it was made. So " + mistaken
                + " changes nothing. Its setting is corrected.");
        stage.dfsMistakes().putRight();
        stage.expects(c1.writes(KEY), DONE);
        stage.expects(stage.actor("c2", "f2").reads(KEY), DONE);
    }
}
