package cleave.chaos.sim;

import cleave.master.loop.GroupMembership;
import cleave.master.loop.MasterGroup;
import cleave.master.loop.Replication;
import cleave.master.state.AnswerCodec;
import cleave.master.state.MasterAnswer;
import cleave.master.state.MasterCommand;
import cleave.master.state.MasterState;
import cleave.master.state.Server;
import cleave.master.state.Step;
import cleave.model.Incarnation;
import cleave.model.KnownMasters;
import cleave.model.Row;
import cleave.model.UnknownFormat;
import cleave.wire.ErrorCode;
import cleave.wire.MasterPeer;
import cleave.wire.PublishRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.pcollections.TreePMap;

/**
 * The masters' replicated log, in place of Ratis, with the real state machine on it: one order of commands that every member
 * applies, sooner or later. Leaders are lost and elected; one that is cut off believes in its term for a while; what it had
 * proposed may be committed late, or never, and now and then twice. Confined to the simulation.
 */
final class SimRaft {
    /** What the masters' log is called as a place where messages go. */
    static final String NODE = "raft";

    private static final long LOOK_NANOS = 50_000_000;
    private static final long ANSWER_NANOS_MAX = 3_000_000_000L;
    private static final long HEARD_NANOS_MAX = 10_000_000_000L;

    private final World world;
    private final Random random;
    private final TreeMap<String, Member> members = new TreeMap<>();
    private SimRaftLog log = new SimRaftLog();
    private final Bug bug;
    private final Consumer<MasterState> auditor;
    private MasterState audited = MasterState.EMPTY;
    /** After each command of the log. */
    private long raisedAt;

    private @Nullable Member leader;
    private long term;
    private long leaderlessUntil;
    private double nastiness;
    private long beliefNanos = -1;
    private String founded = "";
    private Consumer<String> onForgotten = node -> {};

    /** @param auditor shown every state in the order of the log */
    SimRaft(World world, Bug bug, Consumer<MasterState> auditor) {
        this.world = world;
        this.bug = bug;
        this.random = world.newRandom();
        this.auditor = auditor;
        world.after(0, this::look);
    }

    Member member(String node) {
        Member member = members.get(node);
        if (member == null) {
            throw new IllegalArgumentException("no master runs on " + node);
        }
        return member;
    }

    /** What part of the proposals has an unknown outcome, and is repeated. */
    void nastiness(double part) {
        nastiness = part;
    }

    /** How long a leader that is none any more believes in its term, in place of chance. */
    void believeFor(long nanos) {
        beliefNanos = nanos;
    }

    /** Whether that node takes itself for the leader. */
    boolean believesToLead(String node) {
        Member member = members.get(node);
        return member != null && member.believedTerm != 0;
    }

    /** The newest state that any member can have. */
    MasterState audited() {
        return audited;
    }

    /** The node that leads; null if none does. */
    @Nullable
    String leaderNode() {
        return leader == null ? null : leader.node;
    }

    /** Whether the level was raised while that process had been running for so long that its leader must have heard it. */
    boolean wasRaisedOver(SimProcess process) {
        Member member = members.get(process.node());
        return member != null && member.process == process && member.begunAt < raisedAt - HEARD_NANOS_MAX;
    }

    /** The leader loses its office, as if the others had not heard of it. */
    void depose() {
        Member old = leader;
        if (old != null) {
            loseLeader(old);
        }
    }

    /** Told of a master whose process has applied what is not in the log any more: it ends, and begins anew. */
    void onForgotten(Consumer<String> listener) {
        onForgotten = listener;
    }

    /** What a master's folder holds. Immutable. */
    record Disk(@Nullable GroupMembership folder, SimRaftLog log, long held, MasterState saved, long savedIndex) {
        static final Disk EMPTY = new Disk(null, new SimRaftLog(), 0, MasterState.EMPTY, 0);

        MasterState state() {
            return log.state(held);
        }
    }

    Member join(String node, String address) {
        Member member = members.computeIfAbsent(node, name -> new Member(name, address));
        return member;
    }

    private boolean reaches(Member one, Member other) {
        return one == other
                || (other.isUp()
                        && !world.network().isBlocked(one.node, other.node)
                        && !world.network().isBlocked(other.node, one.node));
    }

    private boolean hasQuorum(Member member) {
        if (!member.isUp()) {
            return false;
        }
        int reached = 0;
        for (Member other : members.values()) {
            reached += reaches(member, other) ? 1 : 0;
        }
        return 2 * reached > members.size();
    }

    /** Now and then: does the leader still have a quorum, who could be elected, who hears of it, who lags. */
    private void look() {
        world.after(LOOK_NANOS, this::look);
        Member now = leader;
        if (now != null && !hasQuorum(now)) {
            now.quorumLostNanos += LOOK_NANOS;
            if (now.quorumLostNanos > 1_000_000_000L) {
                loseLeader(now);
            }
        } else if (now != null) {
            now.quorumLostNanos = 0;
        }
        if (leader == null && world.now() >= leaderlessUntil) {
            elect();
        }
        members.values().forEach(Member::look);
    }

    private void loseLeader(Member old) {
        world.trace().note(world.now(), old.node, "loses", "the leadership of term " + term);
        leader = null;
        leaderlessUntil = world.now() + 200_000_000 + random.nextInt(1_500_000_000);
        long doubt = (long) (random.nextDouble() * random.nextDouble() * 5e9);
        old.doubtsFrom = world.now() + (beliefNanos >= 0 ? beliefNanos : doubt);
    }

    private void elect() {
        List<Member> able = new ArrayList<>();
        for (Member member : members.values()) {
            if (hasQuorum(member) && isElectable(member)) {
                able.add(member);
            }
        }
        if (able.isEmpty()) {
            return;
        }
        Member elected = able.get(random.nextInt(able.size()));
        term++;
        leader = elected;
        elected.quorumLostNanos = 0;
        goOnWithWhatIsKnown(elected);
        world.trace().note(world.now(), elected.node, "leads", "term " + term);
        world.trace().count("elections");
        // What others had proposed may turn out to have reached a quorum.
        for (Member member : members.values()) {
            member.settleProposals();
        }
        elected.leadFrom(term, log.size());
    }

    /** A majority votes for it, since none of them has a newer log. */
    private boolean isElectable(Member candidate) {
        int votes = 0;
        for (Member voter : members.values()) {
            votes += reaches(candidate, voter) && !voter.isNewerThan(candidate) ? 1 : 0;
        }
        return 2 * votes > members.size();
    }

    /** The leader's log is everybody's. If the voters have lost their disks, it lacks what was committed. */
    private void goOnWithWhatIsKnown(Member elected) {
        if (elected.heldLog != log || elected.held < log.size()) {
            world.trace().note(world.now(), elected.node, "has", elected.held + " commands, not " + log.size());
            world.trace().count("leaders with another log than the last");
            log = elected.held == elected.heldLog.size() ? elected.heldLog : elected.heldLog.fork(elected.held);
        }
    }

    /** Nothing is committed that no majority holds. */
    private void commit(byte[] proposed) {
        Member holder = leader;
        if (holder == null || !hasQuorum(holder)) {
            return;
        }
        byte[] command = bug == Bug.EPOCH_COMPARED_FOR_VERSION ? ofThisVersion(proposed) : proposed;
        Step step = step(log.state(log.size()), decoded(command), log.size() + 1L);
        log.add(new SimRaftLog.Entry(term, command, step.state()));
        if (step.state().level() > audited.level()) {
            raisedAt = world.now();
        }
        if (step.state().mapVersion() >= audited.mapVersion()) {
            audited = step.state();
            auditor.accept(audited);
        }
        for (Member member : members.values()) {
            if (reaches(holder, member)) {
                member.hold();
            }
            member.applySoon();
        }
    }

    private Step step(MasterState state, MasterCommand command, long index) {
        if (bug != Bug.MOVED_TO_A_DEAD_SERVER || !(command instanceof MasterCommand.Handoff handoff)) {
            return state.step(command, index);
        }
        TreePMap<String, Server> servers = state.servers();
        for (MasterCommand.Target target : handoff.targets()) {
            Incarnation owner = target.owner();
            servers = state.isLive(owner) || handoff.by().equals(owner)
                    ? servers
                    : servers.plus(owner.server(), new Server(owner, "nowhere:1", false));
        }
        Step step = with(state, servers).step(command, index);
        return new Step(with(step.state(), state.servers()), step.answer());
    }

    private static MasterState with(MasterState state, TreePMap<String, Server> servers) {
        return new MasterState(
                state.cluster(),
                state.mapVersion(),
                state.rows(),
                servers,
                state.nextTable(),
                state.drops(),
                state.settings(),
                state.level());
    }

    /** A command of this epoch as if it had been built on the newest version of its rows. */
    private byte[] ofThisVersion(byte[] proposed) {
        cleave.wire.MasterCommand.Builder command = SimVersion.wire(proposed).toBuilder();
        if (command.hasPublish()) {
            PublishRequest.Builder publish = command.getPublishBuilder();
            publish.setVersion(newestVersion(publish.getRange(), publish.getVersion()));
        } else if (command.hasHandoff()) {
            command.getHandoffBuilder()
                    .getSourcesBuilderList()
                    .forEach(each -> each.setVersion(newestVersion(each.getRange(), each.getVersion())));
        }
        return command.build().toByteArray();
    }

    private long newestVersion(long range, long version) {
        for (Row row : audited.rows().all()) {
            if (row.id() == range && row.epoch() <= version) {
                return row.version();
            }
        }
        return version;
    }

    private static MasterCommand decoded(byte[] command) {
        return SimVersion.NEWER.decode(command);
    }

    /** One master's part of the log, and its folder. What it has applied survives its processes, up to a while ago. */
    final class Member implements Replication, MasterGroup {
        private final String node;
        private final String address;
        private final List<Proposal> proposals = new ArrayList<>();
        private @Nullable GroupMembership folder;
        private boolean takesPart;
        private SimRaftLog heldLog = new SimRaftLog();
        private long held;
        private @Nullable SimProcess process;
        private SimVersion version = SimVersion.PRESENT;
        private long begunAt;
        private Consumer<MasterState> onApplied = state -> {};
        private MasterState state = MasterState.EMPTY;
        private long applied;
        private MasterState saved = MasterState.EMPTY;
        private long savedIndex;
        private long believedTerm;
        private long readyIndex;
        private long doubtsFrom;
        private long quorumLostNanos;
        private String knownLeader = "";
        private boolean applying;
        private boolean startAnew;

        private Member(String node, String address) {
            this.node = node;
            this.address = address;
        }

        /** A process of this member begins. What its folder says; null for one that belongs to no cluster. */
        @Nullable
        GroupMembership begin(SimProcess its, SimVersion itsVersion, Consumer<MasterState> listener) {
            process = its;
            version = itsVersion;
            begunAt = world.now();
            takesPart = (folder != null && folder.isMember()) || (bug == Bug.EMPTY_PEER_VOTES && !founded.isEmpty());
            onApplied = listener;
            state = (bug == Bug.UNKNOWN_COMMAND_SKIPPED ? SimVersion.NEWER : version).restore(saved);
            applied = savedIndex;
            believedTerm = 0;
            knownLeader = "";
            proposals.clear();
            if (leader == this) {
                loseLeader(this);
            }
            return folder;
        }

        @Override
        public CompletableFuture<Void> keep(GroupMembership membership) {
            folder = membership;
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public CompletableFuture<Void> begin(GroupMembership membership) {
            takesPart = true;
            founded = membership.cluster().text();
            return CompletableFuture.completedFuture(null);
        }

        /** The members of a simulated group are those that it was founded with. */
        private CompletableFuture<MasterAnswer> fixed() {
            return CompletableFuture.completedFuture(
                    MasterAnswer.failed(ErrorCode.INVALID, "the members of a simulated group do not change"));
        }

        @Override
        public CompletableFuture<MasterAnswer> reconfigure(List<String> before, List<MasterPeer> after) {
            return fixed();
        }

        @Override
        public CompletableFuture<MasterAnswer> transferLeadership(String member) {
            return fixed();
        }

        @Override
        public CompletableFuture<Void> leave(GroupMembership membership) {
            return CompletableFuture.failedFuture(
                    new UnsupportedOperationException("the members of a simulated group do not change"));
        }

        @Override
        public boolean hasEnded() {
            return false;
        }

        @Override
        public long term() {
            return believedTerm;
        }

        @Override
        public String self() {
            GroupMembership kept = folder;
            return kept != null && takesPart ? kept.member() : "";
        }

        /** What lies in its folder. */
        Disk disk() {
            return new Disk(folder, heldLog, held, saved, savedIndex);
        }

        /** Its folder is another one. Only while no process runs. */
        void restore(Disk disk) {
            folder = disk.folder();
            heldLog = disk.log();
            held = disk.held();
            saved = disk.saved();
            savedIndex = disk.savedIndex();
        }

        private boolean isNewerThan(Member other) {
            long term = heldLog.lastTerm(held);
            long others = other.heldLog.lastTerm(other.held);
            return term > others || (term == others && held > other.held);
        }

        /** It has all that the leader has; what it had besides is overwritten. */
        private void hold() {
            if (heldLog != log) {
                long common = heldLog.common(log);
                if (applied > common || savedIndex > common) {
                    startAnew = true; // No replica can take back what it has applied.
                }
                heldLog = log;
            }
            held = log.size();
        }

        @Override
        public String cluster() {
            return takesPart ? founded : "";
        }

        private boolean isUp() {
            return takesPart && process != null && !process.isDead() && !process.isPaused();
        }

        private boolean hearsLeader() {
            return leader != null && reaches(this, leader);
        }

        private void look() {
            if (!isUp()) {
                return;
            }
            if (leader != this && believedTerm != 0 && (hearsLeader() || world.now() >= doubtsFrom)) {
                world.trace().note(world.now(), node, "notices", "that it leads no more");
                believedTerm = 0;
                knownLeader = "";
            }
            if (hearsLeader() && leader != null) {
                knownLeader = leader.address;
                applySoon();
            }
            long now = world.now();
            for (Proposal proposal : List.copyOf(proposals)) {
                if (now - proposal.proposedNanos > ANSWER_NANOS_MAX || believedTerm == 0) {
                    proposal.answer(MasterAnswer.failed(ErrorCode.UNKNOWN_OUTCOME, "no answer from the others"));
                }
            }
        }

        private void leadFrom(long itsTerm, long index) {
            believedTerm = itsTerm;
            readyIndex = index;
            knownLeader = address;
            applySoon();
        }

        /** A new leader has begun: what is not committed yet may be part of its log, and is committed then, or is not. */
        private void settleProposals() {
            for (Proposal proposal : List.copyOf(proposals)) {
                if (!proposal.committed && !proposal.settled) {
                    proposal.settled = true;
                    if (proposal.replicated && random.nextBoolean()) {
                        world.trace().count("proposals committed by a later leader");
                        commit(proposal.command);
                    }
                }
            }
        }

        private void applySoon() {
            if (!applying && process != null) {
                applying = true;
                long delay = this == leader
                        ? 100_000L + random.nextInt(1_000_000)
                        : 500_000L + random.nextInt(random.nextInt(20) == 0 ? 400_000_000 : 5_000_000);
                world.after(delay, this::apply);
            }
        }

        private void apply() {
            applying = false;
            SimProcess its = process;
            if (its == null || !isUp() || !(hearsLeader() || leader == this)) {
                return;
            }
            hold();
            if (startAnew) {
                startAnew = false;
                saved = MasterState.EMPTY;
                savedIndex = 0;
                onForgotten.accept(node);
                return;
            }
            its.run(() -> {
                while (applied < log.size()) {
                    Step step = step(state, log.command(applied), applied + 1);
                    applied++;
                    state = step.state();
                    judge();
                    answered(applied, step.answer());
                    onApplied.accept(state);
                }
                if (random.nextInt(16) == 0) {
                    saved = state;
                    savedIndex = applied;
                }
            });
        }

        private Step step(MasterState before, byte[] command, long index) {
            try {
                return SimRaft.this.step(before, version.decode(command), index);
            } catch (UnknownFormat unknown) {
                if (bug == Bug.UNKNOWN_COMMAND_SKIPPED) {
                    return new Step(before, MasterAnswer.failed(ErrorCode.INVALID, String.valueOf(unknown)));
                }
                throw unknown;
            }
        }

        /** Equal logs give equal states. */
        private void judge() {
            MasterState others = log.state(applied);
            if (!state.equals(others)) {
                world.violation(
                        Finding.By.MAP,
                        "the state of " + node + " after command " + applied + " is not that of the others: " + state
                                + " in place of " + others);
            }
        }

        private void answered(long index, MasterAnswer answer) {
            for (Proposal proposal : List.copyOf(proposals)) {
                if (proposal.index == index) {
                    boolean lost = random.nextDouble() < nastiness;
                    proposal.answer(
                            lost ? MasterAnswer.failed(ErrorCode.UNKNOWN_OUTCOME, "the answer was lost") : answer);
                }
            }
        }

        @Override
        public CompletableFuture<MasterAnswer> propose(MasterCommand command) {
            if (leaderTerm() == 0) {
                return CompletableFuture.completedFuture(MasterAnswer.failed(ErrorCode.NOT_LEADER, knownLeader));
            }
            byte[] bytes;
            try {
                bytes = version.encode(command, state.level());
            } catch (IllegalArgumentException mustNotEnter) {
                return CompletableFuture.completedFuture(
                        MasterAnswer.failed(ErrorCode.INVALID, String.valueOf(mustNotEnter.getMessage())));
            }
            Proposal proposal = new Proposal(this, bytes, believedTerm);
            proposals.add(proposal);
            boolean slow = random.nextDouble() < nastiness;
            long delay = 500_000L + random.nextInt(slow ? 1_500_000_000 : 4_000_000);
            world.after(delay, () -> proposal.arrive(bytes));
            if (random.nextDouble() < nastiness / 2) {
                world.after((long) (random.nextDouble() * 2e9), () -> {
                    if (proposal.committed && leader != null) {
                        world.trace().count("commands committed twice");
                        commit(bytes);
                    }
                });
            }
            world.trace().note(world.now(), node, "proposes", command.getClass().getSimpleName());
            return proposal.answer;
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
            return new KnownMasters(
                    knownLeader,
                    1,
                    members.values().stream().map(member -> member.address).toList());
        }

        @Override
        public List<MasterPeer> peers() {
            List<MasterPeer> peers = new ArrayList<>();
            for (Member member : members.values()) {
                peers.add(MasterPeer.newBuilder()
                        .setId(member.node)
                        .setMember(member.node)
                        .setAddress(member.address)
                        .setRole(member.address.equals(knownLeader) ? "LEADER" : "FOLLOWER")
                        .build());
            }
            return peers;
        }
    }

    /** A command on its way into the log. */
    private final class Proposal {
        private final Member by;
        private final byte[] command;
        private final long proposedIn;
        private final long proposedNanos = world.now();
        private final @Nullable SimProcess process;
        private final CompletableFuture<MasterAnswer> answer = new CompletableFuture<>();
        private boolean replicated;
        private boolean committed;
        private boolean settled;
        private long index;

        Proposal(Member by, byte[] command, long proposedIn) {
            this.by = by;
            this.command = command;
            this.proposedIn = proposedIn;
            this.process = by.process;
        }

        /** It reaches the others; what a script repeats of it they take once more. */
        private void arrive(byte[] bytes) {
            world.carry(
                    () -> Message.request(
                            by.node, NODE, decoded(bytes).getClass().getSimpleName(), ""),
                    this::commitIfLeading,
                    () -> commit(bytes));
        }

        private void commitIfLeading() {
            if (settled || committed || process == null || process.isDead()) {
                return;
            }
            replicated = hasQuorum(by) || random.nextInt(4) == 0;
            if (leader == by && term == proposedIn && hasQuorum(by)) {
                committed = true;
                index = log.size() + 1L;
                commit(command);
            } else if (leader == by || leader == null) {
                world.after(100_000_000, this::commitIfLeading);
            }
        }

        private void answer(MasterAnswer what) {
            by.proposals.remove(this);
            SimProcess its = process;
            if (its != null) {
                MasterAnswer copied = AnswerCodec.fromWire(AnswerCodec.toWire(what));
                its.deliver(
                        20_000,
                        () -> world.carry(
                                () -> Message.answer(
                                        NODE,
                                        by.node,
                                        decoded(command).getClass().getSimpleName(),
                                        copied.code().name()),
                                () -> its.run(() -> answer.complete(copied))));
            }
        }
    }
}
