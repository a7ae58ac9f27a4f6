package cleave.deploy.admin;

import cleave.deploy.CommandFailure;
import cleave.deploy.terminal.Wait;
import cleave.model.ClusterId;
import cleave.route.rpc.StatusCall;
import cleave.runtime.rpc.Address;
import cleave.runtime.rpc.Channels;
import cleave.runtime.rpc.PeerHandshake;
import cleave.runtime.rpc.Transport;
import cleave.runtime.tls.PeerRole;
import cleave.wire.ActsReply;
import cleave.wire.ActsRequest;
import cleave.wire.AdminDrainRequest;
import cleave.wire.AdminGrpc;
import cleave.wire.AdminGrpc.AdminBlockingStub;
import cleave.wire.AdminMergeRequest;
import cleave.wire.AdminMoveRequest;
import cleave.wire.AdminSplitRequest;
import cleave.wire.CancelHandoffRequest;
import cleave.wire.ChangeMastersRequest;
import cleave.wire.CommandReply;
import cleave.wire.ErrorCode;
import cleave.wire.Event;
import cleave.wire.EventsReply;
import cleave.wire.EventsRequest;
import cleave.wire.FoundReply;
import cleave.wire.FoundRequest;
import cleave.wire.HandoffState;
import cleave.wire.HandoffsReply;
import cleave.wire.HandoffsRequest;
import cleave.wire.MasterGroupGrpc;
import cleave.wire.RangeRow;
import cleave.wire.RestoreRequest;
import cleave.wire.Setting;
import cleave.wire.SettingsChange;
import cleave.wire.SettingsReply;
import cleave.wire.SettingsRequest;
import cleave.wire.Status;
import cleave.wire.StatusReply;
import cleave.wire.StatusRequest;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the leader among the masters; finds it by asking each of them in turn, and those that they name as the leader.
 * Thread-safe.
 */
public final class AdminClient implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AdminClient.class);
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Duration SHORT_PATIENCE = Duration.ofSeconds(1);
    private static final Duration PAUSE = Duration.ofMillis(200);
    private static final long CALL_SECONDS = 5;
    private static final long EACH_SECONDS = 1;
    /** The founder asks the others, one after the other. */
    private static final long FOUND_SECONDS = 30;

    /** The leader answers when it is done or its own time for that is up; one that is not there any more is noticed sooner. */
    private static final long WISH_SECONDS = 600;

    private static final long ONCE_SECONDS = 90;

    private final Set<String> masters = new CopyOnWriteArraySet<>();
    private final Duration patience;
    private final Transport transport;
    private final Channels channels;
    private volatile String cluster = "";

    /** In the clear. */
    public AdminClient(List<String> masters) {
        this(masters, Transport.PLAIN, PATIENCE);
    }

    /**
     * @param certificates the folder of certificates to talk to them with; null for in the clear. With a viewer's, the
     *     masters refuse every request that changes something
     */
    public static AdminClient of(List<String> masters, @Nullable Path certificates) {
        return new AdminClient(masters, transport(certificates, List.of(PeerRole.ADMIN, PeerRole.VIEWER)));
    }

    /** For one who changes nothing, asks again and again, and gives up soon: a viewer's certificate is the usual one. */
    public static AdminClient watcher(List<String> masters, @Nullable Path certificates) {
        return new AdminClient(
                masters, transport(certificates, List.of(PeerRole.VIEWER, PeerRole.ADMIN)), SHORT_PATIENCE);
    }

    /** How an admin with this folder of certificates talks to the processes of a cluster; null: in the clear. */
    public static Transport transport(@Nullable Path certificates) {
        return transport(certificates, List.of(PeerRole.ADMIN));
    }

    private static Transport transport(@Nullable Path certificates, List<PeerRole> roles) {
        try {
            return certificates == null ? Transport.PLAIN : Transport.mutualTls(certificates, roles);
        } catch (IOException wrong) {
            throw CommandFailure.usage("the certificates in " + certificates + ": " + wrong.getMessage());
        }
    }

    /** @param transport closed with this */
    public AdminClient(List<String> masters, Transport transport) {
        this(masters, transport, PATIENCE);
    }

    /** @param patience how long a request that may succeed later is repeated; zero: each of these masters is asked once */
    public AdminClient(List<String> masters, Transport transport, Duration patience) {
        this.transport = transport;
        this.channels = new Channels(transport);
        channels.ofCluster(() -> cluster);
        String operator = OperatorName.ofThisProcess();
        channels.asOperator(() -> operator);
        this.masters.addAll(masters);
        this.patience = patience;
    }

    /** From now on only masters of that cluster carry requests out; those of another refuse them. */
    public void only(ClusterId named) {
        cluster = named.text();
    }

    /**
     * The id of the cluster to which the leader belongs; from now on only masters of that cluster carry requests out. Empty if the leader is
     * of a version that does not say.
     */
    public String meetCluster() {
        String met = statusOf("-").getCluster(); // No server: without ranges.
        if (!met.isEmpty()) {
            cluster = met;
        }
        return met;
    }

    public StatusReply status() {
        return status(StatusRequest.getDefaultInstance());
    }

    public List<RangeRow> ranges() {
        return status().getMap().getRowsList();
    }

    /** With the ranges of one server only. */
    StatusReply statusOf(String server) {
        return status(StatusRequest.newBuilder().setServer(server).build());
    }

    /**
     * With the names of tables, as far as the leader knows them.
     *
     * @param request if it names a table, only with the ranges of this table
     */
    StatusReply statusWithTables(StatusRequest.Builder request) {
        StatusReply reply = status(request.setTables(true).build());
        if (!request.getTable().isEmpty() && reply.getTable() == 0) {
            throw CommandFailure.failed(
                    reply.getNamesMissing().isEmpty()
                            ? "the leader is of a version that cannot list the ranges of one table"
                            : reply.getNamesMissing());
        }
        return reply;
    }

    /** What the leader answers to this. */
    public StatusReply status(StatusRequest request) {
        return ask(
                CALL_SECONDS,
                stub -> StatusCall.ask(stub.getChannel(), request, TimeUnit.SECONDS.toNanos(CALL_SECONDS)),
                StatusReply::getStatus);
    }

    /** What each master says for itself, whether it leads or not; those that do not answer are left out. */
    public List<StatusReply> statusOfEach(StatusRequest request) {
        List<StatusReply> replies = new ArrayList<>();
        for (String master : masters) {
            try {
                replies.add(StatusCall.ask(channels.to(master), request, TimeUnit.SECONDS.toNanos(EACH_SECONDS)));
            } catch (StatusRuntimeException silent) {
                LOG.debug("a master does not answer master={}", master, silent);
            }
        }
        return replies;
    }

    /** Asks these masters, too, from now on, as far as another process can reach them. */
    public void know(List<String> others) {
        others.stream().filter(address -> !address.startsWith("inproc:")).forEach(this::learn);
    }

    /**
     * Has the first of the masters found a cluster.
     *
     * @param resume a cluster whose founding ended half-way; empty: a new one
     */
    public FoundReply found(String resume, Duration atMost) {
        String founder = masters.iterator().next();
        FoundRequest request = FoundRequest.newBuilder().setResume(resume).build();
        Founded founded = new Founded(founder, request);
        if (!Wait.until(founded::isAnswered, atMost, PAUSE)) {
            throw CommandFailure.unreachable(
                    "no cluster was founded within " + atMost.toSeconds() + " s: " + founded.lastFailure);
        }
        FoundReply reply = founded.reply;
        if (reply.getStatus().getCode() != ErrorCode.OK) {
            throw CommandFailure.failed(reply.getStatus().getMessage());
        }
        return reply;
    }

    /** One request, sent until it has an answer that lasts. */
    private final class Founded {
        private final String founder;
        private final FoundRequest request;
        private FoundReply reply = FoundReply.getDefaultInstance();
        private String lastFailure = "";

        Founded(String founder, FoundRequest request) {
            this.founder = founder;
            this.request = request;
        }

        boolean isAnswered() {
            try {
                reply = MasterGroupGrpc.newBlockingStub(channels.to(founder))
                        .withDeadlineAfter(FOUND_SECONDS, TimeUnit.SECONDS)
                        .found(request);
                lastFailure = reply.getStatus().getMessage();
                return !isWorthAnotherTry(reply.getStatus().getCode());
            } catch (StatusRuntimeException silent) {
                lastFailure = CallFailure.text(founder, silent);
                return false;
            }
        }
    }

    /** Returns when all the keys begin ranges; that some did before is no error, so it may be asked again. */
    public void split(AdminSplitRequest request) {
        ask(WISH_SECONDS, stub -> stub.split(request), CommandReply::getStatus);
    }

    public void merge(AdminMergeRequest request) {
        ask(WISH_SECONDS, stub -> stub.merge(request), CommandReply::getStatus);
    }

    public void move(AdminMoveRequest request) {
        ask(WISH_SECONDS, stub -> stub.move(request), CommandReply::getStatus);
    }

    /** Returns when the masters are as wanted; a leader that loses its office in between is no hindrance. */
    public void change(ChangeMastersRequest request) {
        ask(WISH_SECONDS, stub -> stub.changeMasters(request), CommandReply::getStatus);
    }

    /** Returns when the leader has noted it. */
    public void drain(AdminDrainRequest request) {
        ask(CALL_SECONDS, stub -> stub.drain(request), CommandReply::getStatus);
    }

    /** Returns when the handoff has ended without effect. */
    public void cancel(long handoff) {
        CancelHandoffRequest request =
                CancelHandoffRequest.newBuilder().setHandoff(handoff).build();
        ask(WISH_SECONDS, stub -> stub.cancelHandoff(request), CommandReply::getStatus);
    }

    public List<HandoffState> handoffs() {
        return ask(
                        CALL_SECONDS,
                        stub -> stub.listHandoffs(HandoffsRequest.getDefaultInstance()),
                        HandoffsReply::getStatus)
                .getHandoffsList();
    }

    public List<Event> events(EventsRequest request) {
        return ask(CALL_SECONDS, stub -> stub.listEvents(request), EventsReply::getStatus)
                .getEventsList();
    }

    /** What operators had the masters do, as far as it is recorded. */
    public ActsReply acts(ActsRequest request) {
        return ask(CALL_SECONDS, stub -> stub.listActs(request), ActsReply::getStatus);
    }

    /** Events with a number beyond this. */
    public List<Event> events(long after) {
        return events(EventsRequest.newBuilder().setAfter(after).build());
    }

    public List<Setting> settings() {
        return settingsWithMeanings().getSettingsList();
    }

    /** With what they mean, if the leader is of a version that says it. */
    public SettingsReply settingsWithMeanings() {
        return ask(
                CALL_SECONDS,
                stub -> stub.listSettings(SettingsRequest.getDefaultInstance()),
                SettingsReply::getStatus);
    }

    /** Returns all settings as they are after the change. */
    public List<Setting> change(Map<String, String> settings) {
        SettingsChange.Builder change = SettingsChange.newBuilder();
        settings.forEach((name, value) ->
                change.addSettings(Setting.newBuilder().setName(name).setValue(value)));
        return ask(CALL_SECONDS, stub -> stub.changeSettings(change.build()), SettingsReply::getStatus)
                .getSettingsList();
    }

    /**
     * Asks each master once, and returns the leader's answer: UNAVAILABLE if none leads, UNKNOWN_OUTCOME if one that may lead did not
     * answer.
     */
    public Status askOnce(Function<AdminBlockingStub, CommandReply> call) {
        Asking<CommandReply> asking = new Asking<>(ONCE_SECONDS, call, CommandReply::getStatus);
        asking.isAnswered();
        return asking.status();
    }

    /**
     * Like {@link #askOnce}, this asks each master once, but nobody after a master that may have done it: asked again, it would be
     * refused. A master that did not answer is the last to be asked next time.
     */
    public Status restore(RestoreRequest request) {
        Asking<CommandReply> asking =
                new Asking<>(ONCE_SECONDS, stub -> stub.restore(request), CommandReply::getStatus);
        for (String master : List.copyOf(masters)) {
            boolean isAnswered = asking.hasAnswered(master);
            if (asking.isSilent) {
                masters.remove(master);
                masters.add(master);
            }
            if (isAnswered || asking.isOutcomeUnknown()) {
                break;
            }
        }
        return asking.status();
    }

    private <T> T ask(long seconds, Function<AdminBlockingStub, T> call, Function<T, Status> statusOf) {
        Asking<T> asking = new Asking<>(seconds, call, statusOf);
        Wait.until(asking::isAnswered, patience, PAUSE);
        return asking.outcome();
    }

    private final class Asking<T> {
        private final long seconds;
        private final Function<AdminBlockingStub, T> call;
        private final Function<T, Status> statusOf;
        private @Nullable T answer;
        private String lastRefusal = "none answered";
        /** Masters that refused to carry the request out, by address. */
        private final Set<String> strangers = new TreeSet<>();
        /** The last of each master, by address. */
        private final Map<String, String> failures = new TreeMap<>();

        private boolean isSilent;
        /** The answer of a leader that refused. */
        private @Nullable Status refusal;

        /** @param seconds how long one master may take for its answer */
        Asking(long seconds, Function<AdminBlockingStub, T> call, Function<T, Status> statusOf) {
            this.seconds = seconds;
            this.call = call;
            this.statusOf = statusOf;
        }

        /** Asks all masters in turn; true if it need not be asked again. */
        boolean isAnswered() {
            for (String master : masters) {
                if (hasAnswered(master)) {
                    return true;
                }
            }
            return strangers.containsAll(masters);
        }

        private boolean hasAnswered(String master) {
            try {
                T reply = call.apply(
                        AdminGrpc.newBlockingStub(channels.to(master)).withDeadlineAfter(seconds, TimeUnit.SECONDS));
                Status status = statusOf.apply(reply);
                if (status.getCode() == ErrorCode.OK) {
                    answer = reply;
                    return true;
                }
                lastRefusal = master + ": " + status.getCode() + " " + status.getMessage();
                failures.put(
                        master, status.getCode() == ErrorCode.NOT_LEADER ? notLeading(master, status) : lastRefusal);
                if (status.getCode() == ErrorCode.NOT_LEADER) {
                    learn(status.getMessage());
                    return false;
                }
                refusal = status;
                return !isWorthAnotherTry(status.getCode());
            } catch (StatusRuntimeException silent) {
                if (PeerHandshake.isRefusal(silent)) {
                    strangers.add(master);
                } else {
                    isSilent = true;
                }
                failures.put(master, CallFailure.text(master, silent));
                lastRefusal = CallFailure.text(master, silent);
                return false;
            }
        }

        boolean isOutcomeUnknown() {
            return isSilent || (refusal != null && refusal.getCode() == ErrorCode.UNKNOWN_OUTCOME);
        }

        Status status() {
            if (answer != null) {
                return statusOf.apply(answer);
            }
            return refusal != null
                    ? refusal
                    : Status.newBuilder()
                            .setCode(isSilent ? ErrorCode.UNKNOWN_OUTCOME : ErrorCode.UNAVAILABLE)
                            .setMessage(lastRefusal)
                            .build();
        }

        T outcome() {
            if (answer != null) {
                return answer;
            }
            if (refusal != null) {
                throw CommandFailure.failed(
                        "the master refused: " + refusal.getMessage() + " (" + refusal.getCode() + ")");
            }
            if (strangers.containsAll(masters)) {
                throw CommandFailure.failed("nothing was done: " + String.join("; ", failures.values()));
            }
            throw CommandFailure.unreachable("no leader among the masters " + String.join(", ", masters)
                    + " answered within " + patience.toSeconds() + " s:"
                    + failures.values().stream().map(each -> "\n  " + each).collect(Collectors.joining()));
        }
    }

    private static String notLeading(String master, Status status) {
        return master + ": it does not lead, "
                + (status.getMessage().isEmpty() ? "and knows no leader" : "and names " + status.getMessage());
    }

    /** The leader may be a master that was added after this client got its list of masters. */
    private void learn(String leader) {
        if (patience.isZero()) {
            return;
        }
        try {
            masters.add(Address.parse(leader).toString());
        } catch (IllegalArgumentException nobody) {
            return; // None is known there, either.
        }
    }

    private static boolean isWorthAnotherTry(ErrorCode code) {
        return switch (code) {
            case NOT_LEADER, BUSY, UNAVAILABLE, NOT_OWNER, STALE_VERSION, UNKNOWN_OUTCOME -> true;
            default -> false;
        };
    }

    @Override
    public void close() {
        channels.close();
        transport.close();
    }
}
