package cleave.chaos.sim;

import static cleave.chaos.history.Outcome.DONE;
import static cleave.chaos.history.Outcome.EXISTS;
import static cleave.chaos.history.Outcome.NOT_EXECUTED;
import static cleave.chaos.history.Outcome.UNKNOWN;
import static cleave.chaos.sim.MessageFilter.answer;
import static cleave.chaos.sim.MessageFilter.request;

import cleave.dfs.Dfs;
import cleave.model.Incarnation;
import cleave.model.Row;

/** Scripts about commit logs and appends of unknown outcome. Stateless. */
final class LogScenes {
    private static final String KEY = "p1/r0";
    private static final long MILLI = 1_000_000;
    /** The time limit of a front end's attempts. */
    private static final long REQUEST_NANOS = 10_000 * MILLI;

    private LogScenes() {}

    static void conditionOnARecordCutOff(Stage stage) {
        Actor c1 = stage.writer("p1/r1");
        String log = stage.log(KEY);
        stage.dfs().cutSeals((durable, stored) -> durable);
        Trap sync = stage.holdsAll(request("sync").about(log));
        stage.says("c1 inserts. The record is stored, but not durable yet.");
        ScriptedRequest first = c1.inserts(KEY);
        stage.untilHeld(sync);
        Trap asked = stage.watches(request("Write"));
        stage.says("c2 inserts the same entity. Whether it exists depends on that record, so its 409 has to wait.");
        ScriptedRequest second = stage.actor("c2", "f2").inserts(KEY);
        stage.until("the owner was asked", asked::hasSprung);
        stage.pass(100);
        stage.says(
                "The medium of the log breaks. The owner seals it, and the seal cuts the record off: the write never happened.");
        stage.dfs().breakMedium(log);
        stage.says("c2 was not refused because of that record. The front ends retry both inserts.");
        stage.expects(first, DONE, EXISTS);
        stage.expects(second, DONE, EXISTS);
        stage.must("one of them made the entity", first.outcome() != second.outcome());
        stage.expects(stage.actor("c3", "f1").reads(KEY), DONE);
    }

    static void fullDfs(Stage stage) {
        Actor c1 = stage.actor("c1", "f1");
        Actor c2 = stage.actor("c2", "f2");
        stage.expects(c1.writes(KEY), DONE);
        stage.expects(c1.sends("create table", stage.requests().createTable("large")), DONE);
        String log = stage.log(KEY);
        stage.says("The DFS is short of space. Clients' writes are refused before they are logged; reads continue.");
        stage.dfs().has(Dfs.Space.LOW);
        Trap appends = stage.watches(request("append").about(log));
        stage.expects(c1.writes(KEY), NOT_EXECUTED);
        stage.expects(c2.sends("create table", stage.requests().createTable("larger")), NOT_EXECUTED);
        stage.expects(c2.reads(KEY), DONE);
        stage.must("nothing was logged for them", !appends.hasSprung());
        stage.says("A table is deleted, which frees space.");
        stage.expects(c1.sends("delete table", stage.requests().deleteTable("large")), DONE);
        stage.says("There is room again.");
        stage.dfs().has(Dfs.Space.ROOMY);
        stage.expects(c1.writes(KEY), DONE);
        stage.expects(c2.reads(KEY), DONE);
    }

    static void fullDfsBreaksALog(Stage stage) {
        Actor c1 = stage.writer(KEY);
        Actor c2 = stage.actor("c2", "f2");
        String log = stage.log(KEY);
        Trap append = stage.holds(request("append").about(log));
        ScriptedRequest write = c1.writes(KEY);
        stage.untilHeld(append);
        stage.says("While a write is on its way to the log, something else fills the disk of the DFS.");
        stage.dfs().has(Dfs.Space.FULL);
        append.release();
        stage.expects(write, NOT_EXECUTED);
        stage.says("The append was refused, so the log is broken. Another one needs no space, and the manifest that"
                + " names it is taken: reads go on.");
        stage.expects(c2.reads(KEY), DONE);
        stage.must("the range continues in another log", !stage.log(KEY).equals(log));
        stage.expects(c1.writes(KEY), NOT_EXECUTED);
        Incarnation owner = stage.row(KEY).owner();
        String server = stage.owner(KEY);
        stage.says(server + ", which owns the range, crashes. What another needs to take over is taken as well.");
        stage.node(server).crash();
        stage.untilTakenOver(KEY, owner);
        stage.expects(c2.reads(KEY), DONE);
        stage.expects(c1.writes(KEY), NOT_EXECUTED);
        stage.says("There is room again.");
        stage.dfs().has(Dfs.Space.ROOMY);
        stage.expects(c1.writes(KEY), DONE);
        stage.expects(c2.reads(KEY), DONE);
    }

    static void writeBehindAnUnknownAppend(Stage stage) {
        Actor c1 = stage.writer(KEY);
        Incarnation owner = stage.row(KEY).owner();
        String server = stage.owner(KEY);
        String log = stage.log(KEY);
        stage.dfs().cutSeals((durable, stored) -> stored);
        Trap sync = stage.holds(request("sync").about(log));
        ScriptedRequest doubtful = c1.writes(KEY);
        stage.untilHeld(sync);
        Trap behind = stage.watches(request("append").about(log));
        stage.says("The medium of " + log + " breaks during an append: it is unknown whether the record is in it.");
        stage.dfs().breakMedium(log);
        stage.expects(doubtful, DONE);
        stage.says(
                "The owner has sealed its own log, found the record in it, and only then acknowledged the write. It continues in a new log.");
        stage.expects(stage.actor("c2", "f2").writes("p1/r1"), DONE);
        stage.says("To show that the log is intact, " + server + " crashes, and another replays it.");
        stage.node(server).crash();
        stage.untilTakenOver(KEY, owner);
        stage.expects(stage.actor("c2", "f2").reads(KEY), DONE);
        stage.must("nothing was appended behind the unknown", behind.count() == 0);
    }

    static void durableBehindARefusal(Stage stage) {
        stage.writer(KEY);
        Incarnation owner = stage.row(KEY).owner();
        String server = stage.owner(KEY);
        Trap barriers = stage.holdsAll(answer("barrier").to(server));
        Trap asked = stage.watches(request("Write").from("f2"));
        stage.says("c2 inserts what exists. Its 409 waits for a barrier, whose answer is held back.");
        ScriptedRequest refused = stage.actor("c2", "f2").inserts(KEY);
        stage.until("the owner was asked", asked::hasSprung);
        stage.untilHeld(barriers);
        String log = stage.log(KEY);
        Trap appended = stage.watches(answer("append").about(log));
        stage.says("c3 inserts another entity. The record is durable, but its answer leaves after the 409.");
        ScriptedRequest durable = stage.actor("c3", "f1").inserts("p1/r1");
        stage.until("the record is durable", appended::hasSprung);
        Trap answers = stage.holdsAll(answer("Write").to("f1"));
        Trap sealed = stage.watches(request("seal").about(log));
        stage.until("the owner has rolled its log", sealed::hasSprung);
        String next = stage.log(KEY);
        stage.dfs().cutSeals((stable, stored) -> stable);
        Trap sync = stage.holdsAll(request("sync").about(next));
        ScriptedRequest lost = stage.actor("c4", "f2").writes("p1/r2");
        stage.untilHeld(sync);
        stage.says("The range continues in " + next + ". Its medium breaks at once, and it is sealed empty.");
        stage.dfs().breakMedium(next);
        stage.until("the range continues in a third log", () -> !stage.log(KEY).equals(next));
        stage.untilHeld(answers);
        stage.says("Its empty log says nothing about " + log + ": c3's insert is done. The answer is on its way.");
        stage.says(
                "To show what the logs contain, " + server + " is cut off from the masters, and another replays them.");
        stage.cutsFromMasters(server);
        stage.untilTakenOver(KEY, owner);
        stage.joinsMasters(server);
        barriers.release();
        answers.release();
        stage.expects(durable, DONE);
        stage.expects(refused, EXISTS);
        stage.expects(lost, DONE);
        stage.expects(stage.actor("c1", "f1").reads("p1/r1"), DONE);
    }

    static void tailReadThenCut(Stage stage) {
        unacknowledgedTail(stage, (durable, stored) -> durable, "cuts the whole record off");
    }

    static void sealInsideARecord(Stage stage) {
        unacknowledgedTail(
                stage, (durable, stored) -> durable + (stored - durable) / 2, "falls into the middle of the record");
    }

    private static void unacknowledgedTail(Stage stage, SimDfs.Cut cut, String how) {
        Actor c1 = stage.writer(KEY);
        Incarnation owner = stage.row(KEY).owner();
        String old = stage.owner(KEY);
        String log = stage.log(KEY);
        stage.dfs().cutSeals(cut);
        Trap sync = stage.holdsAll(request("sync").about(log));
        stage.says("c1 writes again. The record is stored at the tail of " + log + ", but not durable.");
        ScriptedRequest tail = c1.writes(KEY);
        stage.untilHeld(sync);
        long length = stage.length(log);
        Trap heartbeats = stage.holdsAll(request("Heartbeat").from(old));
        stage.says(old + " is declared dead. The seal " + how + ".");
        String taker = stage.untilTakenOver(KEY, owner);
        stage.must("the seal has cut", stage.length(log) < length);
        stage.expects(stage.actor("c2", "f2").reads(KEY), DONE);
        stage.says("The replay of " + taker + " ends at the sealed length. What was cut off was never acknowledged.");
        sync.release();
        heartbeats.release();
        stage.expects(stage.actor("c2", "f2").reads(KEY), DONE);
        stage.says(old + " learns from the sealed length that the write never happened. The front end sends it to "
                + taker + ".");
        stage.expects(tail, DONE);
    }

    static void appendFailsWithTheMastersDown(Stage stage) {
        Actor c1 = stage.writer(KEY);
        String log = stage.log(KEY);
        stage.says("All masters crash. Reads and writes continue: they need none.");
        stage.masters().forEach(master -> stage.node(master).crash());
        stage.expects(c1.writes(KEY), DONE);
        stage.expects(c1.reads(KEY), DONE);
        stage.dfs().cutSeals((durable, stored) -> durable);
        Trap sync = stage.holdsAll(request("sync").about(log));
        long begun = stage.world().now();
        ScriptedRequest first = c1.writes(KEY);
        stage.untilHeld(sync);
        stage.says(
                "Then the medium of the log breaks during an append. The owner seals it, but cannot publish another one.");
        stage.dfs().breakMedium(log);
        ScriptedRequest second = stage.actor("c2", "f2").writes("p1/r1");
        stage.passUntil(begun + REQUEST_NANOS - 200 * MILLI);
        Trap last = stage.holds(answer("Write").to("f1"));
        Trap tooLate = stage.holdsAll(answer("Write").to("f2"));
        stage.untilHeld(last);
        stage.untilHeld(tooLate);
        stage.says("The front ends retry until the requests time out. The last attempt of c1 is refused in time.");
        stage.passUntil(begun + REQUEST_NANOS - 20 * MILLI);
        last.release();
        stage.expects(first, NOT_EXECUTED);
        stage.says("What was not logged is refused: 503, not executed.");
        stage.expects(second, UNKNOWN);
        stage.says(
                "c2's request timed out during an attempt: its outcome is unknown, as its front end says. The masters restart.");
        tooLate.release();
        stage.masters().forEach(master -> stage.node(master).start());
        stage.expects(stage.actor("c2", "f2").writes("p1/r1"), DONE);
        stage.must("it goes on in another log", !stage.log(KEY).equals(log));
        stage.says("The new log is published, and the range continues.");
    }

    static void duplicatedPublish(Stage stage) {
        Actor c1 = stage.actor("c1", "f1");
        String server = stage.owner(KEY);
        Trap publish = stage.holds(request("Publish"));
        stage.expects(c1.writes(KEY), DONE);
        stage.untilHeld(publish);
        publish.release();
        Row before = stage.row(KEY);
        stage.until("the publish was executed", () -> stage.row(KEY).version() > before.version());
        String manifest = String.valueOf(stage.row(KEY).manifest());
        stage.says(
                server
                        + " has published a checkpoint and a new log. A copy of that message is still somewhere in the network.");
        stage.expects(c1.writes(KEY), DONE);
        stage.until("the first manifest is deleted", () -> stage.dfs().peek(manifest) == null);
        stage.says(
                "It has published again and deleted what that replaced: the log is truncated, and the old manifest is gone.");
        stage.expects(c1.writes(KEY), DONE);
        Row row = stage.row(KEY);
        Trap refused = stage.watches(answer("Publish").about("STALE_VERSION"));
        stage.says("The copy arrives. It names the version that it was built on, but the row has another one.");
        publish.repeat();
        stage.pass(100);
        boolean isUnchanged = stage.row(KEY).equals(row);
        stage.says("To show that the map still references existing files, " + server + " crashes.");
        stage.node(server).crash();
        stage.untilTakenOver(KEY, row.owner());
        stage.expects(stage.actor("c2", "f2").reads(KEY), DONE);
        stage.must("the copy was refused", refused.hasSprung() && isUnchanged);
    }

    static void sealLeftBehind(Stage stage) {
        Actor c1 = stage.actor("c1", "f1");
        Incarnation owner = stage.row(KEY).owner();
        String server = stage.owner(KEY);
        Trap seal = stage.holdsAll(request("seal").from(server).about("-log-"));
        stage.says(owner + " serves the range, and rolls its log after each write.");
        stage.expects(c1.writes(KEY), DONE);
        stage.untilHeld(seal);
        String left = seal.first().about();
        stage.must("it has left that log", !stage.log(KEY).equals(left));
        stage.says("All that was appended to " + left + " is durable, so " + server
                + " goes on in the next log at once. The seal of the one that it left is held back.");
        stage.expects(c1.writes("p1/r1"), DONE);
        stage.must("the write is in the next log", stage.length(stage.log(KEY)) > 0);
        stage.must("the map names both logs", stage.reaches(KEY, left));
        stage.says(server
                + " is cut off from the masters, but not from the DFS. f2 no longer receives updates of the map.");
        Trap deaf = stage.deafens("f2");
        stage.cutsFromMasters(server);
        String taker = stage.untilTakenOver(KEY, owner);
        stage.says(taker + " has sealed and replayed both logs, one after the other: both writes are there.");
        stage.expects(c1.reads(KEY), DONE);
        stage.expects(c1.reads("p1/r1"), DONE);
        stage.expects(c1.writes("p1/r1"), DONE);
        Trap asked = stage.watches(request("Write").to(server));
        Trap acknowledged = stage.watches(answer("Write").from(server).about("OK"));
        stage.says("c2 writes through f2, which asks " + server + ". Its append finds the log sealed.");
        ScriptedRequest late = stage.actor("c2", "f2").writes(KEY);
        stage.until(server + " was asked", asked::hasSprung);
        stage.pass(300);
        stage.says("Its own seals arrive at last, and tell it what the logs have held since they were sealed.");
        seal.release();
        stage.pass(300);
        stage.must("it has acknowledged nothing", acknowledged.count() == 0);
        stage.joinsMasters(server);
        deaf.release();
        stage.expects(late, DONE, UNKNOWN, NOT_EXECUTED);
        stage.expects(c1.reads("p1/r1"), DONE);
    }
}
