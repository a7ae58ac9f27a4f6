package cleave.master.membership;

import cleave.master.events.EventKind;
import cleave.master.events.Events;
import cleave.master.policy.MasterMember;
import cleave.master.policy.MemberChange;
import cleave.master.policy.MemberChange.Newcomer;
import cleave.master.policy.MemberChange.Step;
import cleave.master.replication.Replication;
import cleave.master.state.AnswerCodec;
import cleave.master.state.MasterAnswer;
import cleave.master.state.MasterCommand.NoOp;
import cleave.master.sweep.Vetting;
import cleave.runtime.loop.EventLoop;
import cleave.wire.ErrorCode;
import cleave.wire.Event;
import cleave.wire.JoinReply;
import cleave.wire.JoinRequest;
import cleave.wire.MasterPeer;
import cleave.wire.MembersReply;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Changes of the masters' group, one at a time. Confined to the master loop.
 *
 * <p>Each step begins with the proof that this master leads and that its map is not outdated. It is built on the members that its log has
 * then. A master that is to join is asked first: it begins with an empty log, and counts only when it has caught up. A change that a
 * leader began and did not end is gone with the leader, unless Raft itself completes it. The operator's command asks the next leader,
 * which continues.
 */
public final class MemberChanges {
    private static final String JOINING = "JOINING";
    private static final String FOLLOWER = "FOLLOWER";
    private static final String UNKNOWN = "UNKNOWN";
    private static final int JOIN_TRIES = 6;
    private static final long JOIN_PAUSE_NANOS = 500_000_000;

    private final EventLoop loop;
    private final Replication replication;
    private final MasterCalls calls;
    private final Vetting vetting;
    private final Events events;
    private @Nullable Running running;

    public MemberChanges(EventLoop loop, Replication replication, MasterCalls calls, Vetting vetting, Events events) {
        this.loop = loop;
        this.replication = replication;
        this.calls = calls;
        this.vetting = vetting;
        this.events = events;
    }

    /**
     * This leader is about to end: another member leads then, so that nobody waits for an election. Completes when one does, or none
     * can. The follower that has most of the log is asked first.
     */
    public void handOver(CompletableFuture<MasterAnswer> caller) {
        loop.assertInside();
        List<MasterPeer> followers = replication.peers().stream()
                .filter(peer -> peer.getRole().equals(FOLLOWER) && peer.getBehind() >= 0)
                .sorted(Comparator.comparingLong(MasterPeer::getBehind))
                .toList();
        handOver(new ArrayDeque<>(followers), caller);
    }

    private void handOver(ArrayDeque<MasterPeer> followers, CompletableFuture<MasterAnswer> caller) {
        MasterPeer next = followers.poll();
        if (next == null) {
            caller.complete(MasterAnswer.failed(ErrorCode.UNAVAILABLE, "no other master can lead"));
            return;
        }
        replication
                .transferLeadership(next.getMember())
                .thenAccept(answer -> loop.submit(() -> {
                    if (answer.isOk() || answer.code() == ErrorCode.NOT_LEADER) {
                        caller.complete(MasterAnswer.ok(0));
                    } else {
                        handOver(followers, caller);
                    }
                }));
    }

    private record Running(MemberChange change, long term, CompletableFuture<MasterAnswer> caller) {}

    /** Completes when the members are as wanted, or with the reason why they are not. */
    public void ask(MemberChange change, long term, CompletableFuture<MasterAnswer> caller) {
        loop.assertInside();
        Running other = running;
        if (other != null) {
            caller.complete(MasterAnswer.failed(
                    ErrorCode.CONDITION_FAILED, "another change of the masters is under way: " + other.change()));
            return;
        }
        Running its = new Running(change, term, caller);
        running = its;
        step(its);
    }

    /**
     * The members, including those that are just joining, if this master has proved that it leads and that its map is not outdated;
     * else the reason why not. Thread-safe.
     */
    public CompletableFuture<MembersReply> members(String cluster) {
        CompletableFuture<MembersReply> reply = new CompletableFuture<>();
        replication.propose(new NoOp()).thenAccept(proof -> {
            MasterAnswer refused = proof.isOk() ? vetting.refusal() : proof;
            MembersReply.Builder answer = MembersReply.newBuilder();
            if (refused != null) {
                answer.setStatus(AnswerCodec.status(refused));
            } else if (!cluster.equals(replication.cluster())) {
                answer.setStatus(
                        AnswerCodec.status(ErrorCode.INVALID, "this is a master of cluster " + replication.cluster()));
            } else {
                replication.peers().forEach(peer -> answer.addMembers(peer.getMember()));
            }
            reply.complete(answer.build());
        });
        return reply;
    }

    /** This master no longer leads. */
    public void clear(String leader) {
        loop.assertInside();
        Running its = running;
        running = null;
        if (its != null) {
            its.caller().complete(MasterAnswer.failed(ErrorCode.NOT_LEADER, leader));
        }
    }

    private boolean isRunning(Running its) {
        return its.equals(running);
    }

    private void step(Running its) {
        inside(its, replication.propose(new NoOp()), proof -> {
            MasterAnswer refused = proof.isOk() ? vetting.refusal() : proof;
            if (refused == null) {
                carryOut(its, its.change().next(members(), replication.self()));
            } else {
                end(its, refused);
            }
        });
    }

    private List<MasterMember> members() {
        List<MasterMember> members = new ArrayList<>();
        for (MasterPeer peer : replication.peers()) {
            if (!peer.getRole().equals(JOINING)) {
                boolean reachable = !peer.getRole().equals(UNKNOWN);
                members.add(
                        new MasterMember(peer.getMember(), peer.getId(), peer.getRaft(), peer.getAddress(), reachable));
            }
        }
        return members;
    }

    private void carryOut(Running its, Step step) {
        if (step instanceof Step.Done) {
            running = null;
            its.caller().complete(MasterAnswer.ok(replication.appliedIndex()));
        } else if (step instanceof Step.Refused refused) {
            end(its, MasterAnswer.failed(ErrorCode.CONDITION_FAILED, refused.why()));
        } else if (step instanceof Step.Transfer transfer) {
            report(
                    EventKind.MASTERS_CHANGING,
                    its.change() + ": " + transfer.to().id() + " is to lead first");
            inside(
                    its,
                    replication.transferLeadership(transfer.to().member()),
                    answer -> end(
                            its,
                            answer.isOk()
                                    ? MasterAnswer.failed(ErrorCode.NOT_LEADER, replication.leaderAddress())
                                    : answer));
        } else if (step instanceof Step.Admit admit) {
            report(EventKind.MASTERS_CHANGING, its.change().toString());
            admit(its, admit);
        } else if (step instanceof Step.Reduce reduce) {
            report(EventKind.MASTERS_CHANGING, its.change().toString());
            reconfigure(its, reduce.to().stream().map(MemberChanges::peer).toList(), answer -> {
                if (answer.isOk() && its.change().in() != null) {
                    step(its); // The master that left is to join anew.
                } else {
                    end(its, answer);
                }
            });
        } else {
            throw new AssertionError("unhandled step " + step);
        }
    }

    private void admit(Running its, Step.Admit admit) {
        Newcomer newcomer = admit.newcomer();
        JoinRequest.Builder request = JoinRequest.newBuilder()
                .setCluster(replication.cluster())
                .setId(newcomer.id())
                .setRaft(newcomer.raft())
                .setTerm(its.term())
                .setLevel(replication.state().level());
        admit.beside().forEach(member -> request.addBeside(member.member()));
        join(its, admit, request.build(), JOIN_TRIES);
    }

    /** A master that has just been started may not answer at once. */
    private void join(Running its, Step.Admit admit, JoinRequest request, int tries) {
        MasterAnswer refused = vetting.refusal();
        if (refused != null) {
            end(its, refused);
            return;
        }
        String address = admit.newcomer().rpc();
        CompletableFuture<JoinReply> joined = calls.join(address, request)
                .exceptionally(silent -> JoinReply.newBuilder()
                        .setStatus(AnswerCodec.status(
                                ErrorCode.CONDITION_FAILED,
                                "no master answers at " + address + ": " + silent.getMessage()))
                        .build());
        inside(its, joined, reply -> {
            if (reply.getStatus().getCode() == ErrorCode.OK) {
                List<MasterPeer> after = new ArrayList<>(
                        admit.beside().stream().map(MemberChanges::peer).toList());
                after.add(MasterPeer.newBuilder()
                        .setMember(reply.getMember())
                        .setId(admit.newcomer().id())
                        .setRaft(admit.newcomer().raft())
                        .setAddress(address)
                        .build());
                reconfigure(its, after, answer -> end(its, answer));
            } else if (reply.getStatus().getCode() == ErrorCode.CONDITION_FAILED && tries > 1) {
                loop.schedule(JOIN_PAUSE_NANOS, () -> {
                    if (isRunning(its)) {
                        join(its, admit, request, tries - 1);
                    }
                });
            } else {
                end(
                        its,
                        MasterAnswer.failed(
                                reply.getStatus().getCode(), reply.getStatus().getMessage()));
            }
        });
    }

    private static MasterPeer peer(MasterMember member) {
        return MasterPeer.newBuilder()
                .setMember(member.member())
                .setId(member.id())
                .setRaft(member.raft())
                .setAddress(member.rpc())
                .build();
    }

    private void reconfigure(Running its, List<MasterPeer> after, Consumer<MasterAnswer> then) {
        List<String> before = members().stream().map(MasterMember::member).toList();
        inside(its, replication.reconfigure(before, after), then);
    }

    private void end(Running its, MasterAnswer answer) {
        running = null;
        if (answer.isOk()) {
            report(EventKind.MASTERS_CHANGED, "done: " + its.change());
        } else {
            report(EventKind.MASTERS_UNCHANGED, its.change() + ": " + answer.code() + " " + answer.message());
        }
        its.caller().complete(answer);
    }

    private void report(EventKind kind, String reason) {
        Event.Builder event = Event.newBuilder().setReason(reason);
        members().forEach(member -> event.addServers(member.member()));
        events.add(kind, event);
    }

    private <T> void inside(Running its, CompletableFuture<T> asked, Consumer<T> then) {
        asked.thenAccept(answer -> loop.submit(() -> {
            if (isRunning(its)) {
                then.accept(answer);
            }
        }));
    }
}
