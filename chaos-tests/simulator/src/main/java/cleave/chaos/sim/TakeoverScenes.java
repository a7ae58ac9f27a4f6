package cleave.chaos.sim;

import static cleave.chaos.history.Outcome.DONE;
import static cleave.chaos.history.Outcome.MISSING;
import static cleave.chaos.history.Outcome.NOT_EXECUTED;
import static cleave.chaos.history.Outcome.UNKNOWN;
import static cleave.chaos.sim.MessageFilter.answer;
import static cleave.chaos.sim.MessageFilter.request;

import cleave.model.Incarnation;
import cleave.model.Row;
import java.util.Objects;

/** Scripts about takeovers. Stateless. */
final class TakeoverScenes {
    private static final String KEY = "p1/r0";

    private TakeoverScenes() {}

    static void lateCommit(Stage stage) {
        Actor c1 = stage.writer(KEY);
        Incarnation owner = stage.row(KEY).owner();
        Trap first = stage.holds(request("CommitHandoff"));
        stage.says(owner + " owns the range. It crashes.");
        stage.node(stage.owner(KEY)).crash();
        stage.untilHeld(first);
        String slow = first.first().from();
        Trap more = stage.holdsAll(request("CommitHandoff").from(slow));
        stage.says(slow + " was ordered to take the range over. Its commit is held back, however often it is sent.");
        String taker = stage.untilTakenOver(KEY, owner);
        stage.says("The master has given up waiting and asked " + taker + ", which owns the range now.");
        stage.expects(c1.writes(KEY), DONE);
        Row row = stage.row(KEY);
        Trap refused = stage.watches(answer("Handoff").about("STALE_VERSION"));
        stage.says("Only now do the commits of " + slow + " arrive. They name a version of the row that is gone.");
        first.release();
        more.release();
        stage.until("the late commit was refused", refused::hasSprung);
        stage.must("the row is as it was", stage.row(KEY).equals(row));
        stage.expects(stage.actor("c2", "f2").reads(KEY), DONE);
        stage.says("Nothing has changed: the write is there, and " + taker + " serves it.");
    }

    static void addressOfAnotherCluster(Stage stage) {
        Actor c1 = stage.writer(KEY);
        Incarnation owner = stage.row(KEY).owner();
        String server = stage.owner(KEY);
        Trap asked = stage.watches(request("Read").to(server));
        stage.says(server
                + ", which owns the range, crashes, and a server of another cluster gets its address. There, a range"
                + " with the same id and epoch is empty.");
        stage.strangerReplaces(server);
        ScriptedRequest write = c1.writes("p1/r1");
        ScriptedRequest read = stage.actor("c2", "f2").reads(KEY);
        stage.until(server + " was asked", asked::hasSprung);
        stage.says("The other server refuses both calls before it executes them, because they name their cluster.");
        String taker = stage.untilTakenOver(KEY, owner);
        stage.says(taker + " takes the range over, and the front ends send both requests to it.");
        stage.expects(write, DONE);
        stage.expects(read, DONE);
        stage.expects(stage.actor("c2", "f2").reads("p1/r1"), DONE);
    }

    static void latePublish(Stage stage) {
        stage.writer(KEY);
        Incarnation owner = stage.row(KEY).owner();
        String old = stage.owner(KEY);
        Trap publish = stage.holdsAll(request("Publish").from(old));
        stage.says(owner + " rolls its log. Its publish of the new one is held back.");
        stage.untilHeld(publish);
        Trap heartbeats = stage.holdsAll(request("Heartbeat").from(old));
        Trap seals = stage.holdsAll(request("seal").about("-log-"));
        stage.says(
                "Its heartbeats are held back too: it is declared dead, and another server seals the logs that the map names.");
        stage.untilHeld(seals);
        Trap refused = stage.watches(answer("Publish").about("DEAD_INCARNATION"));
        stage.says(
                "The publish arrives in the middle of that takeover. Had it been accepted, the new log would not be sealed.");
        publish.release();
        stage.until("the publish was refused", refused::hasSprung);
        seals.release();
        String taker = stage.untilTakenOver(KEY, owner);
        heartbeats.release();
        stage.expects(stage.actor("c2", "f2").reads(KEY), DONE);
        stage.says(taker + " serves everything that was acknowledged.");
    }

    static void heartbeatAfterDeath(Stage stage) {
        Actor c1 = stage.writer(KEY);
        Incarnation owner = stage.row(KEY).owner();
        String old = stage.owner(KEY);
        Trap heartbeats = stage.holdsAll(request("Heartbeat").from(old));
        stage.says("The heartbeats of " + owner + " are stuck in the network. It is alive and serves.");
        stage.untilTakenOver(KEY, owner);
        stage.expects(c1.writes(KEY), DONE);
        Trap told = stage.watches(answer("Heartbeat").to(old).about("DEAD_INCARNATION"));
        Trap registers = stage.watches(request("Register").from(old));
        stage.says(
                "Its range has moved. Now the heartbeats arrive: it learns that it was declared dead, drops everything, and registers anew.");
        heartbeats.release();
        stage.until(owner + " was told", told::hasSprung);
        stage.until(owner + " registered anew", registers::hasSprung);
        stage.until(
                "a new incarnation lives",
                () -> stage.map().servers().values().stream()
                        .anyMatch(server -> server.incarnation().server().equals(old)
                                && server.incarnation().number() > (owner == null ? 0 : owner.number())));
        stage.must("the old one owns nothing", !Objects.equals(stage.row(KEY).owner(), owner));
        stage.expects(stage.actor("c2", "f2").reads(KEY), DONE);
    }

    static void restartWithinASecond(Stage stage) {
        Actor c1 = stage.writer(KEY);
        Incarnation owner = stage.row(KEY).owner();
        String server = stage.owner(KEY);
        Trap append = stage.holds(request("append").from(server));
        Trap declared = stage.watches(request("DeclareDead"));
        stage.says("c1 writes again. The append of " + owner + " is held back on its way to the DFS.");
        ScriptedRequest doubtful = c1.writes(KEY);
        stage.untilHeld(append);
        stage.pass(10);
        stage.says(
                server + " crashes and restarts at once, unnoticed. Its registration ends its previous incarnation.");
        stage.node(server).crash();
        stage.node(server).start();
        String taker = stage.untilTakenOver(KEY, owner);
        stage.expects(stage.actor("c2", "f2").reads(KEY), DONE);
        stage.says("The range was opened anew by " + taker
                + ". The append of the previous incarnation arrives at a sealed log.");
        Trap refused = stage.watches(answer("append").about("SEALED"));
        append.release();
        stage.pass(100);
        stage.expects(stage.actor("c2", "f2").reads(KEY), DONE);
        stage.expects(doubtful, UNKNOWN);
        stage.must("no one had to be declared dead for it", declared.count() == 0);
        stage.must("nobody heard that append's answer as a success", refused.count() <= 1);
        stage.says("c1 was promised nothing about its second write: its outcome is unknown.");
    }

    private static Trap crashesAndHoldsTheTakersAnswer(Stage stage) {
        stage.writer(KEY);
        Incarnation owner = stage.row(KEY).owner();
        Trap lost = stage.holds(answer("CommitHandoff"));
        stage.says(owner + " crashes.");
        stage.node(stage.owner(KEY)).crash();
        stage.untilHeld(lost);
        return lost;
    }

    static void lostCommit(Stage stage) {
        Trap lost = crashesAndHoldsTheTakersAnswer(stage);
        Row row = stage.row(KEY);
        String taker = stage.owner(KEY);
        stage.must("the commit was executed", lost.first().to().equals(taker));
        Trap told = stage.watches(answer("CommitHandoff").to(taker).about("OK"));
        stage.says("The commit of " + taker
                + " is executed, but the answer is lost: it cannot know that it owns the range.");
        lost.lose();
        stage.says("So it serves nothing, and sends the same commit again.");
        stage.until(taker + " was answered", told::hasSprung);
        stage.must("the row was not changed a second time", stage.row(KEY).equals(row));
        stage.expects(stage.actor("c2", "f2").reads(KEY), DONE);
        stage.says("A command whose result the row already shows is answered OK. The range is served.");
    }

    static void refusedRepeat(Stage stage) {
        Trap lost = crashesAndHoldsTheTakersAnswer(stage);
        String taker = stage.owner(KEY);
        Incarnation taken = stage.row(KEY).owner();
        String manifest = String.valueOf(stage.row(KEY).manifest());
        Trap heartbeats = stage.holdsAll(request("Heartbeat").from(taker));
        Trap read = stage.holdsAll(request("read").about(manifest));
        stage.says(
                "The commit of " + taker + " is executed and its answer lost. Its heartbeats are stuck: it is declared"
                        + " dead, and another server is ordered to read the manifest that the commit named.");
        stage.untilHeld(read);
        Trap refused = stage.watches(answer("CommitHandoff").to(taker).about("DEAD_INCARNATION"));
        stage.says("Before it does, " + taker + " sends the same commit again, and is refused.");
        lost.lose();
        stage.until(taker + " was refused", refused::hasSprung);
        stage.pass(500);
        stage.says("It cannot know that the map has named its manifest, so it deletes nothing.");
        read.release();
        String heir = stage.untilTakenOver(KEY, taken);
        heartbeats.release();
        stage.expects(stage.actor("c2", "f2").reads(KEY), DONE);
        stage.says(heir + " has read the manifest, and serves the range.");
    }

    static void duelOfSealAndPublish(Stage stage) {
        Actor c1 = stage.actor("c1", "f1");
        Trap deaf = stage.deafens("f2");
        Incarnation owner = stage.row(KEY).owner();
        String old = stage.owner(KEY);
        stage.expects(c1.writes(KEY), DONE);
        Trap published = stage.holds(answer("Publish").to(old));
        stage.pass(500);
        Trap heartbeats = stage.holdsAll(request("Heartbeat").from(old));
        stage.says("The heartbeats of " + owner + " are stuck. Just then it publishes a new log.");
        stage.untilHeld(published);
        String log = stage.log(KEY);
        stage.says("The publish is executed, its answer held back. The new log is " + log + ".");
        String taker = stage.untilTakenOver(KEY, owner);
        stage.says(taker + " has read a row that names both logs, and has sealed both.");
        stage.expects(c1.writes(KEY), DONE);
        stage.says("Now " + old
                + " hears that its publish was accepted, and goes on in the new log. c2, behind a front end that"
                + " has learnt of nothing, writes to it.");
        published.release();
        stage.pass(50);
        Trap asked = stage.watches(request("Write").to(old));
        Trap acknowledged = stage.watches(answer("Write").from(old).about("OK"));
        ScriptedRequest write = stage.actor("c2", "f2").writes("p1/r1");
        stage.until(old + " was asked", asked::hasSprung);
        stage.pass(500);
        heartbeats.release();
        deaf.release();
        stage.expects(write, DONE, UNKNOWN, NOT_EXECUTED);
        stage.expects(c1.reads("p1/r1"), DONE, MISSING);
        stage.must("the zombie has acknowledged nothing", acknowledged.count() == 0);
        stage.says("The new log was sealed before its first append, so " + old + " could not go on in it.");
    }

    static void firstAppendPaused(Stage stage) {
        Actor c1 = stage.actor("c1", "f1");
        String old = stage.owner(KEY);
        Incarnation owner = stage.row(KEY).owner();
        Trap rolled = stage.watches(answer("seal").to(old).about("-log-"));
        stage.expects(c1.writes(KEY), DONE);
        stage.until(old + " has rolled its log", rolled::hasSprung);
        stage.pass(20);
        Trap append = stage.holds(request("append").from(old).about("-log-"));
        ScriptedRequest doubtful = c1.writes("p1/r1");
        stage.untilHeld(append);
        String log = append.first().about();
        stage.must("it is the first append to the new log", log.equals(stage.log(KEY)) && stage.length(log) == 0);
        stage.says("The first append to " + log + " is held back.");
        Trap heartbeats = stage.holdsAll(request("Heartbeat").from(old));
        String taker = stage.untilTakenOver(KEY, owner);
        stage.says(taker + " takes the range over. It makes a checkpoint, and the map no longer references that log.");
        stage.expects(stage.actor("c2", "f2").writes(KEY), DONE);
        stage.until("the log is not reached any more", () -> !stage.reaches(KEY, log));
        stage.says("The log is swept. Then the append arrives: a fence outlives its file, so it is refused.");
        stage.sweeps(log);
        Trap refused = stage.watches(answer("append").to(old).about("DELETED"));
        append.release();
        stage.until("the append was refused", refused::hasSprung);
        stage.expects(doubtful, UNKNOWN);
        heartbeats.release();
        stage.expects(stage.actor("c2", "f2").reads("p1/r1"), MISSING);
    }
}
