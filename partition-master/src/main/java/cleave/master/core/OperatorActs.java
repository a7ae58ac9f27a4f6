package cleave.master.core;

import cleave.master.replication.Replication;
import cleave.master.state.Act;
import cleave.master.state.AnswerCodec;
import cleave.master.state.MasterAnswer;
import cleave.master.state.MasterCommand.BeginAct;
import cleave.master.state.MasterCommand.EndAct;
import cleave.model.FeatureLevels;
import cleave.runtime.loop.EventLoop;
import cleave.wire.ActsReply;
import cleave.wire.ActsRequest;
import cleave.wire.ErrorCode;
import cleave.wire.Status;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records what operators have the leader do: who asks for what before it is done, and the outcome after that. Thread-safe; works on the master
 * loop.
 *
 * <p>Both are replicated, so an act is known to the next leader, without an outcome if this one does not see its end. What cannot be recorded
 * in time is not done, and may be asked for again. Below {@link FeatureLevels#ACTS}, and on a leader that changes nothing because it waits for
 * an operator, acts are logged only. Who has no permission to ask does not come here, and so writes nothing into the log of Raft.
 */
public final class OperatorActs {
    private static final Logger LOG = LoggerFactory.getLogger("cleave.acts");

    private final EventLoop loop;
    private final Replication replication;
    private final BooleanSupplier leads;

    OperatorActs(EventLoop loop, Replication replication, BooleanSupplier leads) {
        this.loop = loop;
        this.replication = replication;
        this.leads = leads;
    }

    /**
     * What is asked for, and by whom.
     *
     * @param caller its certificate's name, or what stands for that
     * @param told who the caller says it is
     * @param what a word
     * @param arguments without secrets
     */
    public record Asked(String caller, String told, String what, String arguments) {
        private Act at(long ticks) {
            return Act.begun(ticks, caller, told, what, arguments);
        }
    }

    /**
     * How the answer to an act is read, and made.
     *
     * @param status of an answer
     * @param refusal the answer of a master that does not carry it out
     */
    public record Answers<A>(Function<A, Status> status, Function<MasterAnswer, A> refusal) {}

    /** Carries an act out; completes with its answer, once its outcome is recorded. If the caller leaves, the act's future is cancelled. */
    public <A> CompletableFuture<A> run(Asked asked, Supplier<CompletableFuture<A>> act, Answers<A> answers) {
        CompletableFuture<A> caller = new CompletableFuture<>();
        loop.submit(() -> {
            if (!leads.getAsBoolean()) {
                passOn(act.get(), caller); // It says who leads.
                return;
            }
            Act begun = asked.at(loop.ticks());
            if (replication.state().level() < FeatureLevels.ACTS) {
                carryOut(begun, act, answers, caller);
                return;
            }
            replication
                    .propose(new BeginAct(begun))
                    .thenAccept(answer -> loop.submit(() -> begun(begun, answer, act, answers, caller)));
        });
        return caller;
    }

    private <A> void begun(
            Act act,
            MasterAnswer recorded,
            Supplier<CompletableFuture<A>> todo,
            Answers<A> answers,
            CompletableFuture<A> caller) {
        if (recorded.isOk()) {
            carryOut(numbered(act, recorded.index()), todo, answers, caller);
        } else if (recorded.code() == ErrorCode.UNAVAILABLE && leads.getAsBoolean()) {
            LOG.warn("operator's act is not recorded, the leader changes nothing reason={}", recorded.message());
            carryOut(act, todo, answers, caller);
        } else {
            boolean isLate = recorded.code() == ErrorCode.UNKNOWN_OUTCOME;
            caller.complete(answers.refusal()
                    .apply(
                            isLate
                                    ? MasterAnswer.failed(
                                            ErrorCode.UNAVAILABLE,
                                            "it could not be recorded in time, and was not done: " + recorded.message())
                                    : recorded));
        }
    }

    private static Act numbered(Act act, long number) {
        return new Act(number, act.ticks(), act.caller(), act.told(), act.what(), act.arguments(), "");
    }

    /** @param act without a number if it is not recorded */
    private <A> void carryOut(
            Act act, Supplier<CompletableFuture<A>> todo, Answers<A> answers, CompletableFuture<A> caller) {
        if (caller.isDone()) {
            ended(act, "its caller left before it began", () -> {});
            return;
        }
        CompletableFuture<A> done = todo.get();
        caller.whenComplete((answer, failure) -> {
            if (caller.isCancelled()) {
                done.cancel(false);
            }
        });
        done.whenComplete((answer, failure) -> loop.submit(() -> ended(
                act,
                done.isCancelled() ? "its caller left before the end" : outcome(answer, failure, answers),
                () -> complete(caller, answer, failure))));
    }

    private static <A> void passOn(CompletableFuture<A> from, CompletableFuture<A> to) {
        from.whenComplete((answer, failure) -> complete(to, answer, failure));
    }

    private static <A> void complete(CompletableFuture<A> caller, @Nullable A answer, @Nullable Throwable failure) {
        if (failure != null) {
            caller.completeExceptionally(failure);
        } else {
            caller.complete(answer);
        }
    }

    private static <A> String outcome(@Nullable A answer, @Nullable Throwable failure, Answers<A> answers) {
        if (failure != null || answer == null) {
            return "failed: " + failure;
        }
        Status status = answers.status().apply(answer);
        return status.getCode() == ErrorCode.OK
                ? "OK"
                : status.getMessage().isEmpty()
                        ? status.getCode().name()
                        : status.getCode() + ": " + status.getMessage();
    }

    private void ended(Act act, String outcome, Runnable then) {
        loop.assertInside();
        LOG.info(
                "operator's act what={} arguments={} caller={} unverified={} outcome={}",
                act.what(),
                act.arguments(),
                act.caller(),
                act.told().isEmpty() ? "-" : act.told(),
                outcome);
        if (act.number() == 0) {
            then.run();
        } else {
            replication.propose(new EndAct(act.number(), Act.outcome(outcome))).thenAccept(any -> then.run());
        }
    }

    /** Those that are recorded, as this leader has applied them. */
    public CompletableFuture<ActsReply> list(ActsRequest request) {
        CompletableFuture<ActsReply> reply = new CompletableFuture<>();
        loop.submit(() -> reply.complete(leads.getAsBoolean() ? recorded(request) : notLeader()));
        return reply;
    }

    private ActsReply recorded(ActsRequest request) {
        ActsReply.Builder reply = ActsReply.newBuilder()
                .setForgotten(replication.state().acts().forgotten())
                .setRecorded(replication.state().level() >= FeatureLevels.ACTS);
        replication.state().acts().all().stream()
                .filter(act -> act.ticks() >= request.getSinceTicks())
                .forEach(act -> reply.addActs(act.toWire()));
        return reply.build();
    }

    private ActsReply notLeader() {
        return ActsReply.newBuilder()
                .setStatus(AnswerCodec.status(ErrorCode.NOT_LEADER, replication.leaderAddress()))
                .build();
    }
}
