package cleave.chaos.sim;

import static cleave.chaos.history.Outcome.DONE;
import static cleave.chaos.history.Outcome.MISSING;
import static cleave.chaos.history.Outcome.NOT_EXECUTED;
import static cleave.chaos.history.Outcome.UNKNOWN;
import static cleave.chaos.sim.MessageFilter.answer;
import static cleave.chaos.sim.MessageFilter.request;

import cleave.model.Incarnation;

/** Scripts about a DFS with a weaker engine: it forgets fences, breaks files, and shows changes late. Stateless. */
final class EngineScenes {
    private static final String KEY = "p1/r0";
    private static final long MILLI = 1_000_000;

    private EngineScenes() {}

    /** Long after the deletion, when the handle's last proof is too old to trust. */
    static void forgottenFence(Stage stage) {
        lateAppend(
                stage,
                500 * MILLI,
                3_000,
                "The engine has forgotten the fence. The zombie's handle looks its name up first.");
    }

    /** Soon after the deletion, when the handle trusts the engine, which must therefore remember the fence. */
    static void fenceAfterADeletion(Stage stage) {
        lateAppend(stage, 20_000 * MILLI, 200, "The engine still knows the fence, although the file is gone.");
    }

    private static void lateAppend(Stage stage, long trustNanos, long millis, String how) {
        String first = stage.log(KEY);
        stage.dfs().forgetsFences(trustNanos);
        Actor c1 = stage.writer(KEY);
        stage.until("the owner has rolled its log", () -> !stage.log(KEY).equals(first));
        stage.pass(1_000);
        Incarnation owner = stage.row(KEY).owner();
        String server = stage.owner(KEY);
        String log = stage.log(KEY);
        stage.says(server
                + ", which owns the range, is cut off from the masters and the DFS. f2 no longer receives updates"
                + " of the map.");
        Trap deaf = stage.deafens("f2");
        stage.cutsFromMasters(server);
        stage.cuts(server, SimDfs.NODE);
        String taker = stage.untilTakenOver(KEY, owner);
        stage.expects(c1.writes(KEY), DONE);
        stage.until("no manifest names the old log", () -> !stage.reaches(KEY, log));
        stage.sweeps(log);
        stage.says(taker + " has sealed " + log + " and replaced it by a checkpoint. It is deleted.");
        stage.pass(millis);
        Trap acknowledged = stage.watches(answer("Write").from(server).about("OK"));
        stage.joins(server, SimDfs.NODE);
        stage.says(server + " reaches the DFS again, and knows nothing. c2 writes through f2, which asks it. " + how);
        ScriptedRequest write = stage.actor("c2", "f2").writes("p1/r1");
        stage.pass(1_000);
        stage.joinsMasters(server);
        deaf.release();
        stage.expects(write, DONE, UNKNOWN, NOT_EXECUTED);
        stage.expects(stage.actor("c3", "f1").reads("p1/r1"), DONE, MISSING);
        stage.must("the zombie has acknowledged nothing", acknowledged.count() == 0);
    }

    static void namesAway(Stage stage) {
        stage.writer(KEY);
        Incarnation owner = stage.row(KEY).owner();
        String server = stage.owner(KEY);
        String log = stage.log(KEY);
        stage.dfs().cutSeals((durable, stored) -> stored);
        stage.says("All masters crash. Then the DFS loses its names for 3 seconds: nothing can be created or sealed.");
        stage.masters().forEach(master -> stage.node(master).crash());
        stage.dfs().losesNames(3_000 * MILLI);
        stage.expects(stage.actor("c2", "f2").writes("p1/r1"), DONE);
        stage.expects(stage.actor("c2", "f2").reads("p1/r1"), DONE);
        Trap sync = stage.holdsAll(request("sync").about(log));
        ScriptedRequest doubtful = stage.actor("c1", "f1").inserts("p1/r2");
        stage.untilHeld(sync);
        stage.says(
                "Reads and writes went on until now. Now the log breaks, unasked, with an insert in flight. It cannot be sealed"
                        + " yet, so the insert waits.");
        stage.dfs().breakMedium(log);
        stage.until("c1 has its answer", doubtful::isAnswered);
        stage.says(
                "The names are back, the log is sealed, and its length shows that the record is in it. That needs no master.");
        stage.masters().forEach(master -> stage.node(master).start());
        stage.expects(stage.actor("c2", "f2").writes("p1/r1"), DONE);
        stage.says("To show what the logs contain, " + server + " crashes, and another replays them.");
        stage.node(server).crash();
        stage.untilTakenOver(KEY, owner);
        stage.expects(stage.actor("c3", "f2").reads("p1/r2"), DONE);
        stage.expects(doubtful, DONE);
    }

    static void laggingReaders(Stage stage) {
        Actor c1 = stage.writer(KEY);
        String source = stage.owner(KEY);
        String target = stage.otherThan(source);
        stage.dfs().inject(new SimMedium.FaultRates(0, 0, 0, 0, 0, 1));
        stage.says(
                "Readers of open files see nothing new from now on, and learn late that a file was sealed. c1 writes.");
        stage.expects(c1.writes(KEY), DONE);
        stage.expects(c1.writes("p1/r1"), DONE);
        stage.says(target + " prepares to take the range, following a log that seems not to grow.");
        stage.untilMoved(KEY, target);
        stage.expects(stage.actor("c2", "f2").reads(KEY), DONE);
        stage.expects(stage.actor("c2", "f2").reads("p1/r1"), DONE);
        stage.says(
                "It has replayed the log to the sealed length that " + source + " told, whatever the log looked like.");
    }
}
