package cleave.chaos.sim;

import static cleave.chaos.history.Outcome.DONE;
import static cleave.chaos.history.Outcome.MISSING;
import static cleave.chaos.history.Outcome.NOT_EXECUTED;
import static cleave.chaos.history.Outcome.UNKNOWN;
import static cleave.chaos.sim.MessageFilter.answer;
import static cleave.chaos.sim.MessageFilter.request;

import cleave.model.Incarnation;

/** Scripts about replaced owners that do not know it. Stateless. */
final class ZombieScenes {
    private static final String KEY = "p1/r0";

    private ZombieScenes() {}

    /** An owner that was cut off, a front end that still considers it the owner, and the new owner of its range. */
    private record Zombie(String server, String taker, Trap deaf) {
        static Zombie made(Stage stage) {
            Incarnation owner = stage.row(KEY).owner();
            String server = stage.owner(KEY);
            stage.says(server
                    + ", which owns the range, is cut off from the masters, but not from the DFS. f2 no longer"
                    + " receives updates of the map.");
            Trap deaf = stage.deafens("f2");
            stage.cutsFromMasters(server);
            String taker = stage.untilTakenOver(KEY, owner);
            stage.says(taker + " has sealed the log of " + server + " and taken the range over. " + server
                    + " does not know: it is a zombie.");
            return new Zombie(server, taker, deaf);
        }

        /** All nodes learn the current state. */
        void ends(Stage stage) {
            stage.joinsMasters(server);
            deaf.release();
        }
    }

    static void read(Stage stage) {
        Actor c1 = stage.writer(KEY);
        Zombie zombie = Zombie.made(stage);
        stage.expects(c1.writes(KEY), DONE);
        Trap asked = stage.watches(request("Read").to(zombie.server()));
        stage.says(
                "c2 reads through f2, which asks the zombie. It still stores the old value, but its barrier finds the log sealed.");
        ScriptedRequest read = stage.actor("c2", "f2").reads(KEY);
        stage.until("the zombie was asked", asked::hasSprung);
        stage.pass(300);
        stage.says("f2 receives updates of the map again.");
        zombie.ends(stage);
        stage.expects(read, DONE);
    }

    static void write(Stage stage) {
        Actor c1 = stage.writer(KEY);
        Zombie zombie = Zombie.made(stage);
        stage.expects(c1.writes(KEY), DONE);
        Trap asked = stage.watches(request("Write").to(zombie.server()));
        stage.says("c2 writes through f2, which asks the zombie. Its append finds the log sealed.");
        Trap acknowledged = stage.watches(answer("Write").from(zombie.server()).about("OK"));
        ScriptedRequest write = stage.actor("c2", "f2").writes("p1/r1");
        stage.until("the zombie was asked", asked::hasSprung);
        stage.pass(300);
        zombie.ends(stage);
        stage.expects(write, DONE, UNKNOWN, NOT_EXECUTED);
        stage.expects(c1.reads("p1/r1"), DONE, MISSING);
        stage.must("the zombie has acknowledged nothing", acknowledged.count() == 0);
    }

    static void conflict(Stage stage) {
        Actor c1 = stage.actor("c1", "f1");
        stage.expects(c1.inserts(KEY), DONE);
        Zombie zombie = Zombie.made(stage);
        stage.expects(c1.deletes(KEY), DONE);
        stage.says(
                "c1 has deleted the entity. c2 inserts it through f2, which asks the zombie. It still exists there: a 409, which"
                        + " needs no append, but a barrier.");
        Trap asked = stage.watches(request("Write").to(zombie.server()));
        ScriptedRequest insert = stage.actor("c2", "f2").inserts(KEY);
        stage.until("the zombie was asked", asked::hasSprung);
        stage.pass(300);
        zombie.ends(stage);
        stage.expects(insert, DONE);
        stage.says("The refusal was never sent. The new owner, asked next, inserted it.");
    }

    static void joinedBarrier(Stage stage) {
        Actor c1 = stage.writer(KEY);
        String old = stage.owner(KEY);
        Trap barrier = stage.holds(answer("barrier").to(old));
        stage.says(
                "c2 reads. The barrier has found the log open, but its answer is held back on its way to " + old + ".");
        ScriptedRequest early = stage.actor("c2", "f2").reads(KEY);
        stage.untilHeld(barrier);
        Zombie zombie = Zombie.made(stage);
        stage.expects(c1.writes(KEY), DONE);
        Trap asked = stage.watches(request("Read").to(zombie.server()));
        Trap own = stage.watches(request("barrier").from(zombie.server()));
        stage.says(
                "c3 reads from the zombie, too. It could join the barrier in progress, which was sent before its read began.");
        ScriptedRequest late = stage.actor("c3", "f2").reads(KEY);
        stage.until("the zombie was asked", asked::hasSprung);
        stage.pass(20);
        barrier.release();
        stage.expects(early, DONE);
        stage.until("the later read has a barrier of its own", own::hasSprung);
        stage.says(
                "c2 receives the old value, which was current when its read began. c3 needs a barrier of its own, which is refused.");
        stage.pass(300);
        zombie.ends(stage);
        stage.expects(late, DONE);
    }
}
