package cleave.deploy.role;

import cleave.deploy.terminal.Wait;
import cleave.model.Incarnation;
import cleave.route.rpc.StatusCall;
import cleave.runtime.rpc.Address;
import cleave.runtime.rpc.Channels;
import cleave.wire.AdminDrainRequest;
import cleave.wire.AdminGrpc;
import cleave.wire.AdminGrpc.AdminBlockingStub;
import cleave.wire.ErrorCode;
import cleave.wire.RangeRow;
import cleave.wire.Status;
import cleave.wire.StatusReply;
import cleave.wire.StatusRequest;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has a server's ranges moved away before it leaves, as far as the time allows; the others are taken over. Only this incarnation is
 * drained: if a server of the same id has started elsewhere, that one keeps its ranges. Confined to the thread that ends the server.
 */
final class Departure {
    private static final Logger LOG = LoggerFactory.getLogger(Departure.class);
    /** No other server can own its ranges, or it owns none any more. */
    private static final Set<ErrorCode> REFUSALS =
            EnumSet.of(ErrorCode.CONDITION_FAILED, ErrorCode.NOT_FOUND, ErrorCode.DEAD_INCARNATION);

    /** The time for which masters that cannot be reached are asked: they have probably ended, too. */
    private static final long GONE_NANOS = 1_000_000_000L;

    private static final Duration PAUSE = Duration.ofMillis(100);
    private static final long CALL_SECONDS = 1;
    private static final long SILENT_NANOS = 20_000_000_000L;

    private final Set<String> masters;
    private final Incarnation server;
    private final Channels channels;
    private boolean asked;
    private boolean empty;
    private long presentNanos = System.nanoTime();
    private long heardNanos = System.nanoTime();

    private Departure(List<String> masters, Incarnation server, Channels channels) {
        this.masters = new LinkedHashSet<>(masters);
        this.server = server;
        this.channels = channels;
    }

    /** Returns when the server owns no ranges, when no other server could own them, when the time is up, or when it is hurried. */
    static void prepare(
            Channels channels, List<String> masters, Incarnation server, long atMostNanos, EndSignals signals) {
        if (atMostNanos <= 0) {
            return;
        }
        long begin = System.nanoTime();
        Departure departure = new Departure(masters, server, channels);
        Wait.until(
                () -> signals.isHurried() || departure.isAnswered() || departure.areMastersGone(),
                Duration.ofNanos(Math.min(atMostNanos, SILENT_NANOS)),
                PAUSE);
        if (departure.asked && !signals.isHurried()) {
            Wait.until(
                    () -> signals.isHurried() || departure.isEmpty() || departure.isAlone(),
                    Duration.ofNanos(atMostNanos - (System.nanoTime() - begin)),
                    PAUSE);
        }
        LOG.info("server leaves server={} drainAskedFor={} empty={}", server, departure.asked, departure.empty);
    }

    /** True once a leader has answered, one way or the other. */
    private boolean isAnswered() {
        AdminDrainRequest request = AdminDrainRequest.newBuilder()
                .setServer(server.server())
                .setNumber(server.number())
                .build();
        for (String master : List.copyOf(masters)) {
            try {
                Status status = stub(master).drain(request).getStatus();
                presentNanos = System.nanoTime();
                if (status.getCode() == ErrorCode.OK) {
                    asked = true;
                    heardNanos = presentNanos;
                    return true;
                }
                if (status.getCode() == ErrorCode.NOT_LEADER) {
                    learn(status.getMessage());
                }
                if (REFUSALS.contains(status.getCode())) {
                    LOG.info("drain refused server={} reason={}", server, status.getMessage());
                    return true;
                }
            } catch (StatusRuntimeException silent) {
                LOG.debug("master does not answer master={} reason={}", master, silent.getMessage());
                if (silent.getStatus().getCode() == Code.DEADLINE_EXCEEDED) {
                    // Slow is not gone: the call may be the first on a new connection.
                    presentNanos = System.nanoTime();
                }
            }
        }
        return false;
    }

    /** Adds the named leader: the masters may differ by now from those of the settings. */
    private void learn(String leader) {
        try {
            masters.add(Address.parse(leader).toString());
        } catch (IllegalArgumentException nobody) {
            LOG.debug("no leader is known leader={}", leader);
        }
    }

    /** True when no master could be connected for a while, as when a whole cluster is stopped. */
    private boolean areMastersGone() {
        return System.nanoTime() - presentNanos > GONE_NANOS;
    }

    /** True when the masters have been silent long enough to have ended, as when a whole cluster is stopped. */
    private boolean isAlone() {
        return System.nanoTime() - heardNanos > SILENT_NANOS;
    }

    private boolean isEmpty() {
        for (String master : masters) {
            try {
                StatusReply reply = StatusCall.ask(
                        channels.to(master),
                        StatusRequest.newBuilder().setServer(server.server()).build(),
                        TimeUnit.SECONDS.toNanos(CALL_SECONDS));
                heardNanos = System.nanoTime();
                if (reply.getStatus().getCode() == ErrorCode.OK) {
                    empty = reply.getMap().getRowsList().stream().noneMatch(this::isOwn);
                    return empty;
                }
            } catch (StatusRuntimeException silent) {
                LOG.debug("master does not answer master={} reason={}", master, silent.getMessage());
            }
        }
        return false;
    }

    private boolean isOwn(RangeRow row) {
        return Incarnation.fromWire(row.getOwner()).equals(server);
    }

    private AdminBlockingStub stub(String master) {
        return AdminGrpc.newBlockingStub(channels.to(master)).withDeadlineAfter(CALL_SECONDS, TimeUnit.SECONDS);
    }
}
