package cleave.chaos.sim;

import static cleave.chaos.history.Outcome.DONE;
import static cleave.chaos.history.Outcome.MISSING;
import static cleave.chaos.sim.MessageFilter.request;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Scripts about the masters' leaders. Stateless. */
final class MasterScenes {
    private static final String KEY = "p1/r0";
    private static final long SECOND = 1_000_000_000L;
    private static final long HOUR = 3_600 * SECOND;

    private MasterScenes() {}

    static void twoLeaders(Stage stage) {
        Actor c1 = stage.writer(KEY);
        String owner = stage.owner(KEY);
        String old = stage.leader();
        stage.raft().believeFor(6 * SECOND);
        stage.says(old + ", the leader, is cut off from the other masters, and still believes that it leads.");
        stage.masters().stream().filter(master -> !master.equals(old)).forEach(master -> stage.cuts(old, master));
        stage.until(
                "another leads",
                () -> stage.raft().leaderNode() != null
                        && !old.equals(stage.raft().leaderNode()));
        stage.must("both believe that they lead", stage.raft().believesToLead(old));
        Trap order = stage.watches(request("Handoff").from(old).to(owner));
        stage.says(stage.leader() + " leads now. An operator asks " + old
                + " to split the range, and it gives the order.");
        stage.splits(old, "p3");
        stage.until("the order was given", order::hasSprung);
        stage.must(
                "it gave it as a leader of the past", !old.equals(stage.raft().leaderNode()));
        stage.says("An order decides nothing: the owner commits with the leader of the current term. " + old
                + " commits nothing, and continues to give orders by an outdated map.");
        stage.pass(3_000);
        stage.says("The masters are connected again, and agree on the leader.");
        stage.masters().stream().filter(master -> !master.equals(old)).forEach(master -> stage.joins(old, master));
        stage.until("the old leader has given up", () -> !stage.raft().believesToLead(old));
        stage.expects(stage.actor("c2", "f2").reads(KEY), DONE);
        stage.expects(c1.writes(KEY), DONE);
    }

    static void pausedLeader(Stage stage) {
        Actor c1 = stage.writer(KEY);
        Map<String, Long> before = lives(stage);
        String leader = stage.leader();
        Trap declared = stage.watches(request("DeclareDead"));
        stage.says(leader + ", the leader, pauses for 2 seconds. It receives no heartbeats in that time.");
        stage.node(leader).process().pause(2 * SECOND);
        stage.pass(1_000);
        stage.expects(c1.writes(KEY), DONE);
        stage.says("Writes continue meanwhile. Then it resumes.");
        stage.pass(6_000);
        stage.must(
                "nobody was declared dead",
                declared.count() == 0 && lives(stage).equals(before));
        stage.expects(stage.actor("c2", "f2").reads(KEY), DONE);
        stage.says("Silence counts only while the leader itself runs: no server was declared dead.");
    }

    static void clockSetRightUnseen(Stage stage) {
        Actor c1 = stage.writer(KEY);
        String leader = stage.leader();
        long term = stage.raft().term();
        stage.says("The clock of " + leader
                + ", the leader, jumps an hour behind. The servers' clocks agree, so it goes by them.");
        stage.node(leader).clock().jump(-HOUR);
        stage.pass(2_000);
        stage.expects(c1.writes(KEY), DONE);
        stage.says("All servers crash, and are declared dead.");
        stage.servers().forEach(server -> stage.node(server).crash());
        stage.until("no server is left", () -> stage.map().servers().isEmpty());
        stage.says("The clock of " + leader + " is set right. No server is there to show it.");
        stage.node(leader).clock().jump(HOUR);
        stage.pass(2_000);
        stage.says("The servers restart. Their clocks agree with the leader's, so they are admitted.");
        stage.servers().forEach(server -> stage.node(server).start());
        stage.expects(c1.writes(KEY), DONE);
        stage.expects(stage.actor("c2", "f2").reads(KEY), DONE);
        stage.must(
                "the same leader leads",
                stage.raft().term() == term && leader.equals(stage.raft().leaderNode()));
    }

    static void lostFolder(Stage stage) {
        Actor c1 = stage.writer(KEY);
        String leader = stage.leader();
        List<String> others =
                stage.masters().stream().filter(each -> !each.equals(leader)).toList();
        String late = others.get(0);
        String lost = others.get(1);
        stage.says(late + " pauses while the range is split: " + leader + " and " + lost + " know that.");
        stage.node(late).process().pause(4 * SECOND);
        stage.untilSplit(leader, "p3");
        stage.pass(500);
        stage.says("Then " + leader + " crashes, and " + lost + " starts with an empty folder.");
        stage.node(leader).crash();
        stage.mistakes().lose(List.of(stage.node(lost)));
        stage.pass(8_000);
        stage.must("nobody leads", stage.raft().leaderNode() == null);
        stage.says(lost + " is blank and does not vote; otherwise " + late + " would lead, without the split.");
        stage.expects(c1.writes(KEY), DONE);
        stage.says("Writes continue meanwhile. " + leader + " restarts, and one of the two leads.");
        stage.node(leader).start();
        stage.until("one leads", () -> stage.raft().leaderNode() != null);
        stage.expects(stage.actor("c2", "f2").reads(KEY), DONE);
        stage.says("The folder of " + lost + " is restored.");
        stage.mistakes().putRight();
        stage.pass(2_000);
        stage.expects(stage.actor("c2", "f2").reads("p5/r0"), MISSING);
    }

    static void oldFolders(Stage stage) {
        Actor c1 = stage.writer(KEY);
        stage.says("The folders of all masters are copied. Then the range is split.");
        stage.pass(1_000);
        Map<String, SimRaftDisk> copy = stage.mistakes().copy();
        stage.untilSplit(stage.leader(), "p3");
        stage.expects(c1.writes(KEY), DONE);
        stage.expects(c1.writes("p5/r0"), DONE);
        stage.pass(1_000);
        stage.says("All masters start with the copies: their map is that of before the split.");
        stage.mistakes().age(copy);
        stage.until("one leads", () -> stage.raft().leaderNode() != null);
        stage.pass(8_000);
        String other = stage.servers().stream()
                .filter(server -> !server.equals(stage.owner(KEY)) && !server.equals(stage.owner("p5/r0")))
                .findFirst()
                .orElseThrow();
        stage.says(other + " crashes and restarts at once.");
        stage.node(other).crash();
        stage.node(other).start();
        stage.pass(8_000);
        stage.expects(c1.writes(KEY), DONE);
        stage.expects(c1.writes("p5/r0"), DONE);
        stage.says(
                "The files of the DFS show the leader that its map is outdated: it admits no server, and its sweep deletes"
                        + " nothing. The newest folders are restored.");
        stage.mistakes().putRight();
        stage.until(
                "the newest map is back",
                () -> stage.raft().leaderNode() != null && stage.map().rows().size() == 2);
        stage.expects(stage.actor("c2", "f2").reads(KEY), DONE);
        stage.expects(stage.actor("c2", "f2").reads("p5/r0"), DONE);
    }

    private static Map<String, Long> lives(Stage stage) {
        Map<String, Long> lives = new TreeMap<>();
        stage.map()
                .servers()
                .values()
                .forEach(server -> lives.put(
                        server.incarnation().server(), server.incarnation().number()));
        return lives;
    }
}
