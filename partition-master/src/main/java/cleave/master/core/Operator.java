package cleave.master.core;

import cleave.master.events.EventKind;
import cleave.master.events.Events;
import cleave.master.handoff.HandoffCoordinator;
import cleave.master.handoff.PendingGoals;
import cleave.master.handoff.SplitRequests;
import cleave.master.membership.MemberChanges;
import cleave.master.policy.Goal;
import cleave.master.policy.MemberChange;
import cleave.master.policy.MemberChange.Newcomer;
import cleave.master.policy.MergeGoal;
import cleave.master.policy.MoveGoal;
import cleave.master.policy.SplitGoal;
import cleave.master.replication.Replication;
import cleave.master.settings.MasterTiming;
import cleave.master.state.AnswerCodec;
import cleave.master.state.BalancerSettings;
import cleave.master.state.MasterAnswer;
import cleave.master.state.MasterCommand;
import cleave.master.state.MasterCommand.ChangeSettings;
import cleave.master.state.MasterCommand.Drain;
import cleave.master.state.MasterCommand.Restore;
import cleave.master.state.MasterState;
import cleave.master.state.Server;
import cleave.master.state.SettingsCodec;
import cleave.model.Incarnation;
import cleave.model.Key;
import cleave.model.Row;
import cleave.runtime.loop.EventLoop;
import cleave.wire.AdminDrainRequest;
import cleave.wire.AdminMergeRequest;
import cleave.wire.AdminMoveRequest;
import cleave.wire.AdminSplitRequest;
import cleave.wire.ChangeMastersRequest;
import cleave.wire.ErrorCode;
import cleave.wire.Event;
import cleave.wire.EventsReply;
import cleave.wire.EventsRequest;
import cleave.wire.GroupMember;
import cleave.wire.HandoffsReply;
import cleave.wire.MembersReply;
import cleave.wire.SettingMeaning;
import cleave.wire.SettingsReply;
import cleave.wire.Status;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The requests of operators to the leader. Thread-safe; works on the master loop. */
public final class Operator {
    private final EventLoop loop;
    private final MasterTiming timing;
    private final Replication replication;
    private final BooleanSupplier leads;
    private final HandoffCoordinator handoffs;
    private final PendingGoals goals;
    private final Events events;
    private final SplitRequests splits;
    private final MemberChanges memberChanges;

    Operator(
            EventLoop loop,
            MasterTiming timing,
            Replication replication,
            BooleanSupplier leads,
            HandoffCoordinator handoffs,
            PendingGoals goals,
            Events events,
            SplitRequests splits,
            MemberChanges memberChanges) {
        this.loop = loop;
        this.timing = timing;
        this.replication = replication;
        this.leads = leads;
        this.handoffs = handoffs;
        this.goals = goals;
        this.events = events;
        this.splits = splits;
        this.memberChanges = memberChanges;
    }

    /** Splits ranges; completes when every key begins a range, or with the reason why not. */
    public CompletableFuture<MasterAnswer> split(AdminSplitRequest request) {
        return asLeader(caller -> splits.bounds(
                request,
                caller,
                keys -> pursue(new SplitGoal(keys, handoffs::takesRanges), "an operator's split", caller)));
    }

    /** Merges two ranges; completes when they are one, or with the reason why not. */
    public CompletableFuture<MasterAnswer> merge(AdminMergeRequest request) {
        return asLeader(caller -> {
            Row one = row(request.getRange(), caller);
            Row other = one == null ? null : neighbour(one, request.getWith(), caller);
            if (one != null && other != null) {
                boolean ascending = one.range().start().compareTo(other.range().start()) < 0;
                Goal goal = ascending ? new MergeGoal(one, other) : new MergeGoal(other, one);
                pursue(goal, "an operator's merge", caller);
            }
        });
    }

    private @Nullable Row neighbour(Row row, long wanted, CompletableFuture<MasterAnswer> caller) {
        MasterState state = replication.state();
        if (wanted == 0) {
            Key end = row.range().end();
            Row right = end == null ? null : state.rows().at(end);
            if (right == null) {
                refuse(caller, ErrorCode.INVALID, "range " + Row.idText(row.id()) + " has no neighbour on its right");
            }
            return right;
        }
        Row other = row(wanted, caller);
        if (other == null) {
            return null;
        }
        boolean adjacent = Objects.equals(row.range().end(), other.range().start())
                || Objects.equals(other.range().end(), row.range().start());
        if (!adjacent) {
            refuse(caller, ErrorCode.INVALID, "ranges " + row + " and " + other + " are no neighbours");
        }
        return adjacent ? other : null;
    }

    private @Nullable Row row(long id, CompletableFuture<MasterAnswer> caller) {
        Row row = replication.state().rows().row(id);
        if (row == null) {
            refuse(caller, ErrorCode.NOT_FOUND, "range " + Row.idText(id) + " is not in the map");
        }
        return row;
    }

    /** Moves a range; completes when the server owns it, or with the reason why not. */
    public CompletableFuture<MasterAnswer> move(AdminMoveRequest request) {
        return asLeader(caller -> {
            Row row = row(request.getRange(), caller);
            Server server = row == null ? null : server(request.getServer(), caller);
            if (row != null && server != null) {
                pursue(new MoveGoal(row.id(), server.incarnation()), "an operator's move", caller);
            }
        });
    }

    private @Nullable Server server(String id, CompletableFuture<MasterAnswer> caller) {
        MasterState state = replication.state();
        Server server = state.servers().get(id);
        if (server == null) {
            String live = String.join(", ", state.servers().keySet());
            refuse(caller, ErrorCode.NOT_FOUND, "there is no live server '" + id + "'; there are " + live);
        }
        return server;
    }

    private void pursue(Goal goal, String reason, CompletableFuture<MasterAnswer> caller) {
        if (!leads.getAsBoolean()) {
            refuse(caller, ErrorCode.NOT_LEADER, replication.leaderAddress());
            return;
        }
        goals.ask(goal, reason, loop.nanos() + timing.operatorNanos(), caller);
    }

    /** Starts or stops draining a server; completes when that is replicated. */
    public CompletableFuture<MasterAnswer> drain(AdminDrainRequest request) {
        return asLeader(caller -> {
            Server server = server(request.getServer(), caller);
            if (server == null) {
                return;
            }
            Incarnation incarnation = server.incarnation();
            if (request.getNumber() != 0 && request.getNumber() != incarnation.number()) {
                String message = "another incarnation lives: " + incarnation;
                refuse(caller, ErrorCode.DEAD_INCARNATION, message);
            } else if (!request.getUndo() && isLast(incarnation)) {
                String message = "no other server can take over the ranges of " + server.incarnation()
                        + ": there is none that does not drain";
                refuse(caller, ErrorCode.CONDITION_FAILED, message);
            } else {
                drain(server, request.getUndo(), caller);
            }
        });
    }

    private boolean isLast(Incarnation incarnation) {
        return replication.state().servers().values().stream()
                .allMatch(server -> server.draining() || server.incarnation().equals(incarnation));
    }

    private void drain(Server server, boolean undo, CompletableFuture<MasterAnswer> caller) {
        Event.Builder event =
                Event.newBuilder().addServers(server.incarnation().toString()).setReason("asked for");
        EventKind kind = undo ? EventKind.DRAIN_UNDONE : EventKind.DRAIN_BEGUN;
        boolean changes = server.draining() == undo;
        replicate(new Drain(server.incarnation(), !undo), changes ? () -> events.add(kind, event) : () -> {}, caller);
    }

    /** @param done called inside the loop when the command is replicated and this master still leads */
    private void replicate(MasterCommand command, Runnable done, CompletableFuture<MasterAnswer> caller) {
        replication
                .propose(command)
                .thenAccept(answer -> loop.submit(() -> {
                    if (answer.isOk() && leads.getAsBoolean()) {
                        done.run();
                    }
                    caller.complete(answer);
                }));
    }

    /** Changes the masters' group; completes when that is done, or with the reason why not. */
    public CompletableFuture<MasterAnswer> changeMasters(ChangeMastersRequest request) {
        GroupMember in = request.getIn();
        return asLeader(caller -> {
            MemberChange change;
            try {
                change = new MemberChange(
                        request.getOut().isEmpty() ? null : request.getOut(),
                        request.hasIn() ? new Newcomer(in.getId(), in.getRaft(), in.getRpc()) : null);
            } catch (IllegalArgumentException malformed) {
                refuse(caller, ErrorCode.INVALID, String.valueOf(malformed.getMessage()));
                return;
            }
            memberChanges.ask(change, replication.leaderTerm(), caller);
        });
    }

    /** The members of this cluster, as its leader knows them. */
    public CompletableFuture<MembersReply> members(String cluster) {
        return memberChanges.members(cluster);
    }

    /** Restores a backup; completes when the ranges are those of the backup, or with the reason why not. */
    public CompletableFuture<MasterAnswer> restore(Restore command) {
        Event.Builder event = Event.newBuilder()
                .setReason("an operator's restore of a backup")
                .addFigures(Events.count("ranges", command.ranges().size()));
        return asLeader(caller -> replicate(command, () -> events.add(EventKind.RESTORED, event), caller));
    }

    /** Cancels a handoff; completes when it has ended. */
    public CompletableFuture<MasterAnswer> cancel(long handoff) {
        return asLeader(caller -> handoffs.cancel(handoff, caller));
    }

    /** The handoffs under way. */
    public CompletableFuture<HandoffsReply> handoffs() {
        return reply(
                () -> HandoffsReply.newBuilder()
                        .addAllHandoffs(handoffs.states())
                        .build(),
                refusal -> HandoffsReply.newBuilder().setStatus(refusal).build());
    }

    /** The events of the leader. */
    public CompletableFuture<EventsReply> events(EventsRequest request) {
        return reply(
                () -> EventsReply.newBuilder()
                        .addAllEvents(events.after(request.getAfter(), request.getLimit()))
                        .build(),
                refusal -> EventsReply.newBuilder().setStatus(refusal).build());
    }

    /** The balancer's replicated settings. */
    public CompletableFuture<SettingsReply> settings() {
        return reply(this::settingsNow, Operator::refused);
    }

    /** Changes settings; answers all settings after the change, or the reason why it is invalid. */
    public CompletableFuture<SettingsReply> change(Map<String, String> texts) {
        Event.Builder event = Event.newBuilder().setReason("asked for");
        texts.forEach((name, text) -> event.addFigures(Events.text(name, text)));
        CompletableFuture<MasterAnswer> changed = asLeader(caller ->
                replicate(new ChangeSettings(texts), () -> events.add(EventKind.SETTINGS_CHANGED, event), caller));
        return changed.thenApply(answer -> answer.isOk() ? settingsNow() : refused(AnswerCodec.status(answer)));
    }

    private static SettingsReply refused(Status refusal) {
        return SettingsReply.newBuilder().setStatus(refusal).build();
    }

    private SettingsReply settingsNow() {
        return SettingsReply.newBuilder()
                .addAllSettings(SettingsCodec.toWire(
                        replication.state().effectiveSettings().texts()))
                .addAllMeanings(BalancerSettings.DEFAULT.texts().entrySet().stream()
                        .map(Operator::meaning)
                        .toList())
                .build();
    }

    private static SettingMeaning meaning(Map.Entry<String, String> standard) {
        return SettingMeaning.newBuilder()
                .setName(standard.getKey())
                .setStandard(standard.getValue())
                .setText(BalancerSettings.MEANINGS.getOrDefault(standard.getKey(), ""))
                .build();
    }

    private CompletableFuture<MasterAnswer> asLeader(Consumer<CompletableFuture<MasterAnswer>> action) {
        CompletableFuture<MasterAnswer> caller = new CompletableFuture<>();
        loop.submit(() -> {
            if (leads.getAsBoolean()) {
                action.accept(caller);
            } else {
                refuse(caller, ErrorCode.NOT_LEADER, replication.leaderAddress());
            }
        });
        return caller;
    }

    /** The reply of a leader, or the refusal of another master. */
    private <R> CompletableFuture<R> reply(Supplier<R> asLeader, Function<Status, R> refused) {
        CompletableFuture<R> reply = new CompletableFuture<>();
        loop.submit(() -> reply.complete(
                leads.getAsBoolean()
                        ? asLeader.get()
                        : refused.apply(AnswerCodec.status(ErrorCode.NOT_LEADER, replication.leaderAddress()))));
        return reply;
    }

    private static void refuse(CompletableFuture<MasterAnswer> caller, ErrorCode code, String message) {
        caller.complete(MasterAnswer.failed(code, message));
    }
}
