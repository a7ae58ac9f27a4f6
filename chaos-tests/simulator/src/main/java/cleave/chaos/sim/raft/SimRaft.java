package cleave.chaos.sim.raft;

import cleave.chaos.sim.bugs.Bug;
import cleave.chaos.sim.bugs.Mutants;
import cleave.chaos.sim.world.Finding;
import cleave.chaos.sim.world.NodeClock;
import cleave.chaos.sim.world.SimProcess;
import cleave.chaos.sim.world.SimVersion;
import cleave.chaos.sim.world.World;
import cleave.master.state.MasterCommand;
import cleave.master.state.MasterState;
import cleave.master.state.Step;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The masters' replicated log, in place of Ratis, with the real state machine: one order of commands that every member
 * eventually applies. Leaders are lost, and elected by the members in the candidate's log. An isolated leader believes
 * in its term for a while, and its proposals may be committed late, never, or twice.
 */
public final class SimRaft implements Mutants.Leadership {
    /** The name of the masters' log as a destination of messages. */
    public static final String NODE = "raft";

    private static final long LOOK_NANOS = 50_000_000;
    private static final long HEARD_NANOS_MAX = 10_000_000_000L;

    final World world;
    final Random random;
    final Bug bug;
    private final TreeMap<String, SimRaftMember> masters = new TreeMap<>();
    private final Consumer<MasterState> auditor;
    /** Members that do not count yet, because they are catching up. */
    private final TreeSet<String> joining = new TreeSet<>();

    private SimRaftLog log = new SimRaftLog();
    private long committed;
    private MasterState audited = MasterState.EMPTY;
    private long raisedAt;
    private @Nullable SimRaftMember leader;
    private long term;
    private long leaderlessUntil;
    private double faultRates;
    private long beliefNanos = -1;
    private long catchUpNanos = -1;
    /** The cluster that the masters founded, if any. */
    String founded = "";

    private Consumer<String> onForgotten = node -> {};

    /** @param auditor checks every state in log order */
    public SimRaft(World world, Bug bug, Consumer<MasterState> auditor) {
        this.world = world;
        this.bug = bug;
        this.random = world.newRandom();
        this.auditor = auditor;
        world.after(0, this::look);
    }

    /** A master's membership, created if it has none yet. */
    public SimRaftMember join(String node, String address) {
        return masters.computeIfAbsent(node, name -> new SimRaftMember(this, name, address));
    }

    public SimRaftMember member(String node) {
        SimRaftMember member = masters.get(node);
        if (member == null) {
            throw new IllegalArgumentException("no master runs on " + node);
        }
        return member;
    }

    /** The share of proposals with an unknown outcome, which are repeated. */
    public void faultRates(double part) {
        faultRates = part;
    }

    public double faultRates() {
        return faultRates;
    }

    /** How long a deposed leader believes in its term, instead of a random time. */
    public void believeFor(long nanos) {
        beliefNanos = nanos;
    }

    /** How long an added master takes to catch up, instead of a random time. */
    public void catchUpFor(long nanos) {
        catchUpNanos = nanos;
    }

    long catchUpNanos() {
        if (catchUpNanos >= 0) {
            return catchUpNanos;
        }
        if (bug == Bug.EMPTY_NEWCOMER_COUNTS) {
            return (long) (random.nextDouble() * 40e9); // A long one gives the bug time to matter.
        }
        return random.nextInt(3) == 0 ? (long) (random.nextDouble() * 8e9) : random.nextInt(200_000_000);
    }

    /** True if that node believes that it leads. */
    public boolean believesToLead(String node) {
        SimRaftMember member = masters.get(node);
        return member != null && member.believesToLead();
    }

    @Override
    public MasterState audited() {
        return audited;
    }

    /** The members according to the current log. */
    public SimMembers members() {
        return log.members(log.size());
    }

    /** The node that leads; null if none does. */
    @Nullable
    public String leaderNode() {
        return leader == null ? null : leader.node();
    }

    @Override
    public @Nullable NodeClock leaderClock() {
        SimProcess process = leader == null ? null : leader.process();
        return process == null ? null : process.clock();
    }

    /** True if the level was raised although that process had been a member long enough for its leader to know its version. */
    public boolean wasRaisedOver(SimProcess process) {
        SimRaftMember member = masters.get(process.node());
        return member != null && member.runs(process) && member.begunAt() < raisedAt - HEARD_NANOS_MAX;
    }

    /** Deposes the leader, as if the others had lost contact. */
    public void depose() {
        SimRaftMember old = leader;
        if (old != null) {
            loseLeader(old);
        }
    }

    /** Sets the listener for masters that have applied commands that are no longer in the log; such a process restarts. */
    public void onForgotten(Consumer<String> listener) {
        onForgotten = listener;
    }

    void forgotten(String node) {
        onForgotten.accept(node);
    }

    @Override
    public long term() {
        return term;
    }

    SimRaftLog log() {
        return log;
    }

    long committed() {
        return committed;
    }

    boolean isLeader(SimRaftMember member) {
        return leader == member;
    }

    @Nullable
    SimRaftMember leader() {
        return leader;
    }

    Collection<SimRaftMember> masters() {
        return masters.values();
    }

    /** Makes the leader send its log to these, too. */
    void catchesUp(Collection<String> members) {
        joining.addAll(members);
    }

    void catchesUpNoMore(Collection<String> members) {
        joining.removeAll(members);
    }

    boolean isJoining(String member) {
        return joining.contains(member);
    }

    boolean reaches(SimRaftMember one, SimRaftMember other) {
        return one == other
                || (other.isUp()
                        && !world.network().isBlocked(one.node(), other.node())
                        && !world.network().isBlocked(other.node(), one.node()));
    }

    /** True if the leader sends its log to that master, which receives it. */
    boolean hearsLeader(SimRaftMember member) {
        SimRaftMember now = leader;
        return now != null
                && now.isUp()
                && member.isUp()
                && reaches(now, member)
                && (members().contains(member.name()) || joining.contains(member.name()));
    }

    boolean hasQuorum(SimRaftMember member) {
        return member.isUp() && isMajority(member.members(), other -> reaches(member, other));
    }

    /** True if the predicate holds for a majority of members. */
    private boolean isMajority(SimMembers members, Predicate<SimRaftMember> such) {
        int others = 0;
        if (bug == Bug.REMOVED_MEMBER_VOTES) {
            others = (int) masters.values().stream()
                    .filter(other -> other.isUp()
                            && other.disk().holdsMore()
                            && !members.contains(other.name())
                            && such.test(other))
                    .count();
        }
        return members.isMajority(
                name -> masters.values().stream().anyMatch(other -> other.name().equals(name) && such.test(other)),
                others);
    }

    /** Periodically checks whether the leader has a quorum and who can be elected, and updates the members that it reaches. */
    private void look() {
        world.after(LOOK_NANOS, this::look);
        SimRaftMember now = leader;
        if (now != null && now.missesQuorum(hasQuorum(now), LOOK_NANOS)) {
            loseLeader(now);
        }
        judgeMajorities();
        if (leader == null && world.now() >= leaderlessUntil) {
            elect();
        }
        masters.values().forEach(SimRaftMember::look);
    }

    /** While a leader can commit, the members that it does not reach cannot elect another one. */
    private void judgeMajorities() {
        SimRaftMember now = leader;
        if (now == null || !hasQuorum(now)) {
            return;
        }
        for (SimRaftMember other : masters.values()) {
            if (!reaches(now, other) && isElectable(other, voter -> !reaches(now, voter))) {
                world.violation(
                        Finding.By.MAP,
                        "two leaders can commit: " + now.node() + " in term " + term + " with the members "
                                + now.members() + ", and " + other.node() + " with " + other.members());
            }
        }
    }

    void loseLeader(SimRaftMember old) {
        world.note(old.node(), "loses", "the leadership of term " + term);
        leader = null;
        leaderlessUntil = world.now() + 200_000_000 + random.nextInt(1_500_000_000);
        long doubt = (long) (random.nextDouble() * random.nextDouble() * 5e9);
        old.doubtsFrom(world.now() + (beliefNanos >= 0 ? beliefNanos : doubt));
    }

    private void elect() {
        List<SimRaftMember> able = new ArrayList<>();
        for (SimRaftMember member : masters.values()) {
            if (isElectable(member, voter -> true)) {
                able.add(member);
            }
        }
        if (!able.isEmpty()) {
            lead(able.get(random.nextInt(able.size())));
        }
    }

    /** A majority of the members in its log votes for it, because none of these has a newer log. */
    boolean isElectable(SimRaftMember candidate, Predicate<SimRaftMember> mayVote) {
        return candidate.isUp()
                && candidate.members().contains(candidate.name())
                && isMajority(
                        candidate.members(),
                        voter -> mayVote.test(voter)
                                && reaches(candidate, voter)
                                && voter.knows(candidate)
                                && !voter.disk().isNewerThan(candidate.disk()));
    }

    /** A term begins with an entry that lists the members. Committing it commits all earlier entries. */
    void lead(SimRaftMember elected) {
        term++;
        leader = elected;
        joining.clear();
        goOnWithWhatIsKnown(elected);
        append(elected.members().at(log.size() + 1L));
        replicate(elected);
        world.note(elected.node(), "leads", "term " + term + " of " + members());
        world.count("elections");
        // Proposals of earlier leaders may turn out to have reached a quorum.
        for (SimRaftMember member : masters.values()) {
            member.settleProposals();
        }
        elected.leadFrom(term, log.size());
        if (members().isChanging()) {
            world.count("changes of the masters ended by the next leader");
            SimReconfiguration.ofTheLeaderBefore(elected).settle();
        }
    }

    /** The leader's log replaces all others. It lacks committed entries if the voters have lost their disks. */
    private void goOnWithWhatIsKnown(SimRaftMember elected) {
        SimRaftLog its = elected.disk().logItHolds();
        if (its == log) {
            return;
        }
        world.note(elected.node(), "has", its.size() + " entries, not " + log.size());
        world.count("leaders with another log than the last");
        committed = Math.min(committed, its.common(log));
        log = its;
    }

    /** Only the leader has the entry yet. */
    void append(SimMembers members) {
        log.add(new SimRaftLog.Entry(term, null, log.state(log.size()), members));
        SimRaftMember holder = leader;
        if (holder != null) {
            holder.hold();
        }
    }

    /** Only entries that a majority holds are committed. */
    void commit(byte[] proposed) {
        SimRaftMember holder = leader;
        if (holder == null || !hasQuorum(holder)) {
            return;
        }
        byte[] command = Mutants.entering(bug, proposed, audited);
        Step step = Mutants.step(bug, log.state(log.size()), decoded(command), log.size() + 1L);
        log.add(new SimRaftLog.Entry(term, command, step.state(), members()));
        if (step.state().level() > audited.level()) {
            raisedAt = world.now();
        }
        if (step.state().mapVersion() >= audited.mapVersion()) {
            audited = step.state();
            auditor.accept(audited);
        }
        replicate(holder);
    }

    /** A majority of the members in its log holds the leader's whole log. */
    void replicate(SimRaftMember holder) {
        committed = log.size();
        for (SimRaftMember member : masters.values()) {
            if (member == holder || hearsLeader(member)) {
                member.hold();
            }
            member.applySoon();
        }
    }

    static MasterCommand decoded(byte[] command) {
        return SimVersion.NEWER.decode(command);
    }
}
