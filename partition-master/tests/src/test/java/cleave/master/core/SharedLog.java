package cleave.master.core;

import cleave.master.replication.Replication;
import cleave.master.state.CommandCodec;
import cleave.master.state.MasterAnswer;
import cleave.master.state.MasterCommand;
import cleave.master.state.MasterState;
import cleave.master.state.Shown;
import cleave.master.state.Step;
import cleave.model.KnownMasters;
import cleave.wire.ErrorCode;
import cleave.wire.MasterPeer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** A replicated log without Raft: members that can lead, be cut off, and lose answers. Confined to one test. */
public final class SharedLog {
    public static final String CLUSTER = "11111111-2222-3333-4444-555555555555";

    private final List<Member> members = new ArrayList<>();
    private final List<MasterCommand> commands = new ArrayList<>();
    public final List<Reconfiguration> reconfigurations = new ArrayList<>();
    private MasterState state = MasterState.EMPTY;
    private long index;
    private long terms;
    /** Hears of each event, in words. */
    Consumer<String> listener = text -> {};

    public Member member(String address) {
        Member member = new Member(address);
        members.add(member);
        return member;
    }

    /** It is a member no more. */
    public void leaves(String address) {
        members.removeIf(member -> member.address.equals(address));
    }

    /** The commands that were replicated so far. */
    public List<MasterCommand> commands() {
        return commands;
    }

    public MasterState state() {
        return state;
    }

    /** Goes on from a state, as after a snapshot. */
    public void restore(MasterState restored) {
        state = restored;
        index = restored.mapVersion();
        members.forEach(Member::catchUp);
    }

    /** Applies a command as if some leader had proposed it. */
    public MasterAnswer apply(MasterCommand command) {
        return apply(command, Shown.command(command));
    }

    /** The same, with other words for the listener. */
    MasterAnswer apply(MasterCommand command, String words) {
        index++;
        commands.add(command);
        Step step = state.step(command, index);
        state = step.state();
        listener.accept(
                words + (step.answer().isOk() ? "" : " -> " + step.answer().code()));
        members.forEach(Member::catchUp);
        return step.answer();
    }

    /** One master's view of the log. */
    public final class Member implements Replication {
        private final String address;
        private final List<CompletableFuture<MasterAnswer>> unanswered = new ArrayList<>();
        private MasterState seen = MasterState.EMPTY;
        private long seenIndex;
        private long term;
        private boolean cutOff;
        private boolean losesAnswers;
        private boolean unready;

        private Member(String address) {
            this.address = address;
        }

        /** Leads from now on; the one who led before knows nothing of it if it is cut off. */
        public void lead() {
            for (Member member : members) {
                member.term = member.cutOff ? member.term : 0;
            }
            term = ++terms;
            catchUp();
        }

        /** Was elected and takes commands, but has not applied yet what earlier leaders left. */
        public void isElected() {
            lead();
            unready = true;
        }

        /** Replicates nothing any more, and believes in its term. */
        public void cutOff() {
            cutOff = true;
        }

        /** Hears of the others again: what it had proposed has an unknown outcome. */
        public void heal() {
            cutOff = false;
            boolean deposed = members.stream().anyMatch(member -> member.term > term);
            term = deposed ? 0 : term;
            catchUp();
            List.copyOf(unanswered)
                    .forEach(answer ->
                            answer.complete(MasterAnswer.failed(ErrorCode.UNKNOWN_OUTCOME, "the leader was cut off")));
            unanswered.clear();
        }

        public void stepDown() {
            term = 0;
        }

        /** Is a member no more, and keeps nothing of the log. */
        public void isRemoved() {
            term = 0;
            seen = MasterState.EMPTY;
        }

        /** From now on commands are executed, and their answers lost. */
        public void loseAnswers(boolean lose) {
            losesAnswers = lose;
        }

        private void catchUp() {
            if (!cutOff) {
                seen = state;
                seenIndex = index;
            }
        }

        @Override
        public CompletableFuture<MasterAnswer> propose(MasterCommand command) {
            if (term == 0) {
                return CompletableFuture.completedFuture(MasterAnswer.failed(ErrorCode.NOT_LEADER, leaderAddress()));
            }
            try {
                CommandCodec.encode(command, seen.level());
            } catch (IllegalArgumentException mustNotEnter) {
                return CompletableFuture.completedFuture(
                        MasterAnswer.failed(ErrorCode.INVALID, String.valueOf(mustNotEnter.getMessage())));
            }
            if (cutOff) {
                CompletableFuture<MasterAnswer> answer = new CompletableFuture<>();
                unanswered.add(answer);
                return answer;
            }
            MasterAnswer answer = SharedLog.this.apply(command);
            return CompletableFuture.completedFuture(
                    losesAnswers ? MasterAnswer.failed(ErrorCode.UNKNOWN_OUTCOME, "lost") : answer);
        }

        @Override
        public String cluster() {
            return CLUSTER;
        }

        @Override
        public MasterState state() {
            return seen;
        }

        @Override
        public long appliedIndex() {
            return seenIndex;
        }

        @Override
        public long leaderTerm() {
            return unready ? 0 : term;
        }

        @Override
        public String leaderAddress() {
            if (cutOff) {
                return term != 0 ? address : "";
            }
            return members.stream()
                    .filter(member -> member.term != 0 && member.term == terms)
                    .map(member -> member.address)
                    .findFirst()
                    .orElse("");
        }

        @Override
        public KnownMasters masters() {
            return new KnownMasters(
                    leaderAddress(),
                    1,
                    members.stream().map(member -> member.address).toList());
        }

        @Override
        public List<MasterPeer> peers() {
            return members.stream()
                    .map(member -> MasterPeer.newBuilder()
                            .setId(member.address)
                            .setMember(member.address)
                            .setAddress(member.address)
                            .setRaft("raft-of-" + member.address)
                            .setRole(member.term == 0 ? "FOLLOWER" : "LEADER")
                            .build())
                    .toList();
        }

        @Override
        public String self() {
            return address;
        }

        @Override
        public CompletableFuture<MasterAnswer> reconfigure(List<String> before, List<MasterPeer> after) {
            CompletableFuture<MasterAnswer> answer = new CompletableFuture<>();
            Reconfiguration asked = new Reconfiguration(before, after, answer);
            reconfigurations.add(asked);
            listener.accept("raft: " + before + " -> " + asked.names());
            return answer;
        }

        @Override
        public CompletableFuture<MasterAnswer> transferLeadership(String to) {
            members.stream().filter(member -> member.address.equals(to)).forEach(Member::lead);
            return CompletableFuture.completedFuture(MasterAnswer.ok(index));
        }
    }

    /** A leader's request to Raft; the test answers it. */
    public record Reconfiguration(List<String> before, List<MasterPeer> after, CompletableFuture<MasterAnswer> answer) {
        public List<String> names() {
            return after.stream().map(MasterPeer::getMember).sorted().toList();
        }
    }
}
