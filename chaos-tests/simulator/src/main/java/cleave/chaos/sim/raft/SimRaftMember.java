package cleave.chaos.sim.raft;

import cleave.chaos.sim.bugs.Bug;
import cleave.chaos.sim.bugs.Mutants;
import cleave.chaos.sim.world.Finding;
import cleave.chaos.sim.world.SimProcess;
import cleave.chaos.sim.world.SimVersion;
import cleave.chaos.sim.world.World;
import cleave.master.membership.GroupMembership;
import cleave.master.membership.MasterGroup;
import cleave.master.replication.Replication;
import cleave.master.state.MasterAnswer;
import cleave.master.state.MasterCommand;
import cleave.master.state.MasterState;
import cleave.master.state.Step;
import cleave.model.KnownMasters;
import cleave.model.UnknownFormat;
import cleave.wire.ErrorCode;
import cleave.wire.MasterPeer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One master's membership in the simulated Raft group. Its folder, a {@link SimRaftDisk}, survives its processes;
 * commands applied since its last snapshot do not.
 */
public final class SimRaftMember implements Replication, MasterGroup {
    private static final long QUORUM_LOST_NANOS = 1_000_000_000L;
    private static final long SILENCE_NANOS = 1_000_000_000L;
    private static final long HEARD_NANOS = 3_000_000_000L;

    final SimRaft raft;
    private final World world;
    private final Random random;
    private final String node;
    private final String address;
    private final List<SimProposal> proposals = new ArrayList<>();
    private SimRaftDisk disk = SimRaftDisk.empty();
    private boolean takesPart;
    /** True once it knows that it was removed. */
    private boolean ended;

    /** The time at which a new member has caught up. */
    private long caughtUpAt;

    private @Nullable SimProcess process;
    private SimVersion version = SimVersion.PRESENT;
    private long begunAt;
    private Consumer<MasterState> onApplied = state -> {};
    private MasterState state = MasterState.EMPTY;
    private long applied;
    private long believedTerm;
    private long readyIndex;
    private long doubtsFrom;
    private long quorumLostNanos;
    private String knownLeader = "";
    private long heardLeaderAt;
    /** When this leader last heard each other member. */
    private final TreeMap<String, Long> heard = new TreeMap<>();

    private final SimGroupChanges changes;
    private boolean applying;
    private boolean startAnew;

    SimRaftMember(SimRaft raft, String node, String address) {
        this.raft = raft;
        this.world = raft.world;
        this.random = raft.random;
        this.node = node;
        this.address = address;
        this.changes = new SimGroupChanges(this);
    }

    String node() {
        return node;
    }

    /** Its name in the group. */
    String name() {
        GroupMembership kept = disk.folder();
        return kept == null ? node : kept.member();
    }

    @Nullable
    SimProcess process() {
        return process;
    }

    boolean runs(SimProcess its) {
        return process == its;
    }

    long begunAt() {
        return begunAt;
    }

    boolean believesToLead() {
        return believedTerm != 0;
    }

    void doubtsFrom(long nanos) {
        doubtsFrom = nanos;
    }

    boolean chance(int one) {
        return random.nextInt(one) == 0;
    }

    /** Its current configuration: the newest in its log, committed or not. */
    SimMembers members() {
        return disk.members();
    }

    /** True if the membership permits a vote for that candidate. */
    boolean knows(SimRaftMember candidate) {
        return members().isNone() || members().contains(candidate.name()) || raft.bug == Bug.REMOVED_MEMBER_VOTES;
    }

    boolean isCaughtUp() {
        return disk.log() == raft.log() && disk.held() >= raft.committed();
    }

    /** Starts a process of this member; returns the content of its folder, null if it belongs to no cluster. */
    @Nullable
    public GroupMembership begin(SimProcess its, SimVersion itsVersion, Consumer<MasterState> listener) {
        process = its;
        version = itsVersion;
        begunAt = world.now();
        GroupMembership folder = disk.folder();
        takesPart =
                (folder != null && folder.isMember()) || (raft.bug == Bug.EMPTY_PEER_VOTES && !raft.founded.isEmpty());
        onApplied = listener;
        restart();
        return folder;
    }

    private void restart() {
        ended = false;
        state = (raft.bug == Bug.UNKNOWN_COMMAND_SKIPPED ? SimVersion.NEWER : version).restore(disk.saved());
        applied = disk.savedIndex();
        leadsNoMore();
        heardLeaderAt = world.now();
        proposals.clear();
        if (raft.isLeader(this)) {
            raft.loseLeader(this);
        }
    }

    @Override
    public CompletableFuture<Void> keep(GroupMembership membership) {
        disk = disk.of(membership);
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletableFuture<Void> begin(GroupMembership membership) {
        takesPart = true;
        begunAt = world.now();
        restart();
        raft.founded = membership.cluster().text();
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletableFuture<Void> leave(GroupMembership membership) {
        world.count("masters that left");
        restore(SimRaftDisk.EMPTY);
        takesPart = false;
        restart();
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public boolean hasEnded() {
        return ended;
    }

    @Override
    public long term() {
        return takesPart ? disk.knownTerm() : 0;
    }

    @Override
    public String self() {
        GroupMembership kept = disk.folder();
        return kept != null && takesPart ? kept.member() : "";
    }

    /** The content of its folder. */
    public SimRaftDisk disk() {
        return disk;
    }

    /** Replaces its folder; only while no process runs or the process has left the group. */
    public void restore(SimRaftDisk other) {
        disk = other;
        caughtUpAt = 0;
    }

    /** Copies the leader's whole log over its own. */
    void hold() {
        if (!raft.isLeader(this) && isCatchingUp()) {
            return;
        }
        boolean wasMember = members().contains(name());
        if (disk.log() != raft.log()) {
            long common = disk.log().common(raft.log());
            if (applied > common || disk.savedIndex() > common) {
                startAnew = true; // A replica cannot undo applied commands.
            }
        }
        disk = disk.holding(raft.log(), raft.term());
        if (wasMember && !members().contains(name()) && !raft.isLeader(this)) {
            world.count("members that learnt from their log that they were removed");
            ended = true;
        }
    }

    /** An added master gets the log when the leader first sends to it. */
    private boolean isCatchingUp() {
        GroupMembership kept = disk.folder();
        if (disk.holdsMore() || kept == null || !kept.founders().isEmpty()) {
            return false;
        }
        if (caughtUpAt == 0) {
            caughtUpAt = world.now() + raft.catchUpNanos();
        }
        return world.now() < caughtUpAt;
    }

    @Override
    public String cluster() {
        return takesPart ? raft.founded : "";
    }

    boolean isUp() {
        return takesPart && !ended && process != null && !process.isDead() && !process.isPaused();
    }

    private boolean hearsLeader() {
        return raft.hearsLeader(this);
    }

    /** True if this leader has lacked a quorum for too long. */
    boolean missesQuorum(boolean hasQuorum, long nanos) {
        quorumLostNanos = hasQuorum ? 0 : quorumLostNanos + nanos;
        return quorumLostNanos > QUORUM_LOST_NANOS;
    }

    void look() {
        if (!isUp()) {
            return;
        }
        boolean leads = raft.isLeader(this);
        if (!leads && believedTerm != 0 && (hearsLeader() || world.now() >= doubtsFrom)) {
            world.note(node, "notices", "that it leads no more");
            leadsNoMore();
        }
        SimRaftMember leader = raft.leader();
        if (leader != null && (leads || hearsLeader())) {
            knownLeader = leader.address;
            heardLeaderAt = world.now();
            applySoon();
        } else if (believedTerm == 0 && world.now() - heardLeaderAt > SILENCE_NANOS) {
            knownLeader = "";
        }
        if (leads) {
            raft.masters().stream().filter(raft::hearsLeader).forEach(other -> heard.put(other.name(), world.now()));
        }
        for (SimProposal proposal : List.copyOf(proposals)) {
            if (proposal.isOverdue() || believedTerm == 0) {
                answer(proposal, MasterAnswer.failed(ErrorCode.UNKNOWN_OUTCOME, "no answer from the others"));
            }
        }
    }

    void leadFrom(long itsTerm, long index) {
        quorumLostNanos = 0;
        believedTerm = itsTerm;
        readyIndex = index;
        knownLeader = address;
        heard.clear();
        members().all().forEach(peer -> heard.put(peer.getMember(), world.now())); // Like Ratis at its start.
        applySoon();
    }

    void settleProposals() {
        List.copyOf(proposals).forEach(SimProposal::settle);
    }

    void applySoon() {
        if (!applying && process != null) {
            applying = true;
            long delay = raft.isLeader(this)
                    ? 100_000L + random.nextInt(1_000_000)
                    : 500_000L + random.nextInt(random.nextInt(20) == 0 ? 400_000_000 : 5_000_000);
            world.after(delay, this::apply);
        }
    }

    private void apply() {
        applying = false;
        SimProcess its = process;
        if (its == null || !isUp() || !(raft.isLeader(this) || hearsLeader())) {
            return;
        }
        hold();
        if (startAnew) {
            startAnew = false;
            disk = disk.saving(MasterState.EMPTY, 0);
            raft.forgotten(node);
            return;
        }
        its.run(() -> {
            long until = disk.log() == raft.log() ? Math.min(disk.held(), raft.committed()) : 0;
            while (applied < until) {
                byte[] command = disk.log().command(applied);
                Step step = command == null ? null : step(state, command, applied + 1);
                applied++;
                if (step != null) {
                    state = step.state();
                    judge();
                    answered(applied, step.answer());
                }
                onApplied.accept(state);
            }
            if (random.nextInt(16) == 0) {
                disk = disk.saving(state, applied);
            }
        });
    }

    private Step step(MasterState before, byte[] command, long index) {
        try {
            return Mutants.step(raft.bug, before, version.decode(command), index);
        } catch (UnknownFormat unknown) {
            if (raft.bug == Bug.UNKNOWN_COMMAND_SKIPPED) {
                return new Step(before, MasterAnswer.failed(ErrorCode.INVALID, String.valueOf(unknown)));
            }
            throw unknown;
        }
    }

    /** Equal logs give equal states. */
    private void judge() {
        MasterState others = disk.log().state(applied);
        if (!state.equals(others)) {
            world.violation(
                    Finding.By.MAP,
                    "the state of " + node + " after command " + applied + " is not that of the others: " + state
                            + " in place of " + others);
        }
    }

    private void answered(long index, MasterAnswer answer) {
        for (SimProposal proposal : List.copyOf(proposals)) {
            if (proposal.isAt(index)) {
                boolean lost = random.nextDouble() < raft.faultRates();
                answer(proposal, lost ? MasterAnswer.failed(ErrorCode.UNKNOWN_OUTCOME, "the answer was lost") : answer);
            }
        }
    }

    private void answer(SimProposal proposal, MasterAnswer answer) {
        proposals.remove(proposal);
        proposal.answer(answer);
    }

    private CompletableFuture<MasterAnswer> notLeader() {
        return CompletableFuture.completedFuture(MasterAnswer.failed(ErrorCode.NOT_LEADER, knownLeader));
    }

    @Override
    public CompletableFuture<MasterAnswer> propose(MasterCommand command) {
        if (leaderTerm() == 0) {
            return notLeader();
        }
        byte[] bytes;
        try {
            bytes = version.encode(command, state.level());
        } catch (IllegalArgumentException mustNotEnter) {
            return CompletableFuture.completedFuture(
                    MasterAnswer.failed(ErrorCode.INVALID, String.valueOf(mustNotEnter.getMessage())));
        }
        SimProposal proposal = new SimProposal(this, bytes, believedTerm);
        proposals.add(proposal);
        boolean slow = random.nextDouble() < raft.faultRates();
        long delay = 500_000L + random.nextInt(slow ? 1_500_000_000 : 4_000_000);
        world.after(delay, proposal::arrive);
        if (random.nextDouble() < raft.faultRates() / 2) {
            world.after((long) (random.nextDouble() * 2e9), () -> {
                if (proposal.isCommitted() && proposal.isItsLog() && raft.leader() != null) {
                    world.count("commands committed twice");
                    raft.commit(bytes);
                }
            });
        }
        world.note(node, "proposes", command.getClass().getSimpleName());
        return proposal.answer();
    }

    @Override
    public CompletableFuture<MasterAnswer> reconfigure(List<String> before, List<MasterPeer> after) {
        return leadsNow() ? delivered(changes.reconfigure(before, after)) : notLeader();
    }

    @Override
    public CompletableFuture<MasterAnswer> transferLeadership(String member) {
        return leadsNow() ? delivered(changes.transfer(member, believedTerm)) : notLeader();
    }

    private boolean leadsNow() {
        return raft.isLeader(this) && believedTerm == raft.term();
    }

    /** Answers the requesting process, if it still runs. */
    private CompletableFuture<MasterAnswer> delivered(CompletableFuture<MasterAnswer> answer) {
        SimProcess its = process;
        if (answer.isDone() || its == null) {
            return answer;
        }
        CompletableFuture<MasterAnswer> told = new CompletableFuture<>();
        answer.thenAccept(what -> its.deliver(20_000, () -> told.complete(what)));
        return told;
    }

    /** It no longer believes that it leads. */
    void leadsNoMore() {
        believedTerm = 0;
        knownLeader = "";
    }

    @Override
    public MasterState state() {
        return state;
    }

    @Override
    public long appliedIndex() {
        return applied;
    }

    @Override
    public long leaderTerm() {
        return believedTerm != 0 && applied >= readyIndex ? believedTerm : 0;
    }

    @Override
    public String leaderAddress() {
        return knownLeader;
    }

    @Override
    public KnownMasters masters() {
        SimMembers its = applied == 0 || applied > disk.log().size()
                ? members()
                : disk.log().members(applied);
        return new KnownMasters(
                knownLeader,
                its.index(),
                its.all().stream().map(MasterPeer::getAddress).toList());
    }

    @Override
    public List<MasterPeer> peers() {
        List<MasterPeer> peers = new ArrayList<>();
        for (MasterPeer peer : members().all()) {
            peers.add(peer.toBuilder().setRole(role(peer)).build());
        }
        if (raft.isLeader(this)) {
            raft.masters().stream()
                    .filter(other -> raft.isJoining(other.name()) && !members().contains(other.name()))
                    .forEach(other -> peers.add(MasterPeer.newBuilder()
                            .setId(GroupMembership.idOf(other.name()))
                            .setMember(other.name())
                            .setAddress(other.address)
                            .setRole("JOINING")
                            .build()));
        }
        return peers;
    }

    private String role(MasterPeer peer) {
        boolean leads = believedTerm != 0;
        if (peer.getMember().equals(name())) {
            return leads ? "LEADER" : "FOLLOWER";
        }
        if (!leads) {
            return peer.getAddress().equals(knownLeader) ? "LEADER" : "UNKNOWN";
        }
        Long at = heard.get(peer.getMember());
        return at != null && world.now() - at < HEARD_NANOS ? "FOLLOWER" : "UNKNOWN";
    }
}
