package cleave.chaos.sim;

import static cleave.chaos.history.Outcome.DONE;
import static cleave.chaos.history.Outcome.MISSING;
import static cleave.chaos.sim.MessageFilter.answer;

import java.util.List;

/** Scripts about joining and leaving masters. Stateless. */
final class MemberScenes {
    private static final String KEY = "p1/r0";
    private static final long SECOND = 1_000_000_000L;

    private MemberScenes() {}

    private static List<String> followers(Stage stage) {
        String leader = stage.leader();
        return stage.masters().stream().filter(each -> !each.equals(leader)).toList();
    }

    static void leaderKilledInAReplacement(Stage stage) {
        Actor c1 = stage.writer(KEY);
        String leader = stage.leader();
        String out = followers(stage).get(0);
        String stays = followers(stage).get(1);
        String in = stage.startsBlankMaster();
        Trap joined = stage.holds(answer("Join").from(in));
        stage.says("An operator asks " + leader + " to replace " + out + " by " + in
                + ", which begins with an empty log.");
        stage.changesMasters(out, in);
        stage.untilHeld(joined);
        String first = stage.raft().member(in).self();
        stage.says(leader + " crashes before it hears that. " + in
                + " believes that it is a member, but no other master does.");
        stage.node(leader).crash();
        stage.until(
                "another leads",
                () -> stage.raft().leaderNode() != null
                        && !leader.equals(stage.raft().leaderNode()));
        stage.pass(1_000);
        stage.must("the members are the same", stage.hasMembers(leader, out, stays));
        stage.expects(c1.writes(KEY), DONE);
        stage.says("The operator repeats the request to the next leader.");
        stage.until("it was replaced", () -> {
            if (!stage.hasMembers(leader, in, stays)) {
                stage.changesMasters(out, in);
                stage.pass(2_000);
            }
            return stage.hasMembers(leader, in, stays);
        });
        stage.must(in + " has joined anew", !stage.raft().member(in).self().equals(first));
        stage.says(in + " has joined again under another name: its former state does not count. " + leader
                + " restarts, and " + out + " learns that it is no longer a member.");
        stage.node(leader).start();
        stage.until(out + " is blank", () -> stage.raft().member(out).self().isEmpty());
        stage.expects(stage.actor("c2", "f2").reads(KEY), DONE);
    }

    static void newcomerWithoutALog(Stage stage) {
        Actor c1 = stage.writer(KEY);
        String leader = stage.leader();
        String out = followers(stage).get(0);
        String late = followers(stage).get(1);
        String in = stage.startsBlankMaster();
        stage.raft().catchUpFor(20 * SECOND);
        stage.says("An operator asks " + leader + " to replace " + out + " by " + in
                + ", which has no log yet and receives it slowly.");
        stage.changesMasters(out, in);
        stage.pass(1_500);
        stage.says(late + " pauses while the range is split.");
        stage.node(late).process().pause(4 * SECOND);
        stage.untilSplit(leader, "p3");
        stage.pass(500);
        stage.says(leader + " crashes. Had " + in + " counted already, it and " + late
                + " would elect a leader without the split.");
        stage.node(leader).crash();
        stage.pass(8_000);
        stage.node(leader).start();
        stage.until("one leads", () -> stage.raft().leaderNode() != null);
        stage.pass(2_000);
        stage.must(
                "the split is known",
                stage.raft().member(stage.leader()).state().rows().size() == 2);
        stage.expects(c1.writes(KEY), DONE);
        stage.expects(stage.actor("c2", "f2").reads("p5/r0"), MISSING);
    }

    static void removedMaster(Stage stage) {
        Actor c1 = stage.writer(KEY);
        String leader = stage.leader();
        String late = followers(stage).get(0);
        String other = followers(stage).get(1);
        String removed = stage.startsBlankMaster();
        stage.changesMasters("", removed);
        stage.until(removed + " is a member", () -> stage.hasMembers(leader, late, other, removed));
        stage.pass(5_000);
        stage.says(removed + " pauses while it is removed, and " + late + " while the range is split after that.");
        stage.node(removed).process().pause(7 * SECOND);
        stage.changesMasters(removed, "");
        stage.until(removed + " is removed", () -> stage.hasMembers(leader, late, other));
        stage.pass(500);
        stage.node(late).process().pause(5 * SECOND);
        stage.untilSplit(leader, "p3");
        stage.pass(500);
        stage.says(leader + " and " + other + " crash. " + removed
                + " believes that it is a member, and would vote for " + late + ".");
        stage.node(leader).crash();
        stage.node(other).crash();
        stage.pass(12_000);
        stage.must("nobody leads", stage.raft().leaderNode() == null);
        stage.says("Two of three members are down, so no master leads. They restart.");
        stage.node(leader).start();
        stage.node(other).start();
        stage.until(
                removed + " is blank", () -> stage.raft().member(removed).self().isEmpty());
        stage.says(removed + " has learnt from the leader that it was removed.");
        stage.expects(c1.writes(KEY), DONE);
        stage.expects(stage.actor("c2", "f2").reads("p5/r0"), MISSING);
    }
}
