package cleave.server.handoff;

import cleave.model.HandoffNumber;
import cleave.model.Incarnation;
import cleave.runtime.loop.EventLoop;
import cleave.server.metrics.ServerMetrics;
import cleave.server.outside.Masters;
import cleave.server.outside.TargetServers;
import cleave.server.range.Directory;
import cleave.server.range.Refused;
import cleave.wire.ErrorCode;
import cleave.wire.HandoffCancel;
import cleave.wire.HandoffOrder;
import cleave.wire.HandoffOutcome;
import cleave.wire.HandoffProgress;
import cleave.wire.Status;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** The planned handoffs that one incarnation carries out, by the master's number. Confined to the membership's loop. */
public final class HandoffsUnderWay {
    private static final int ENDED_MAX = 1_024;

    private final EventLoop loop;
    private final Incarnation self;
    private final Outside outside;
    private final TreeMap<Long, Handoff> underWay = new TreeMap<>();
    /** The newest handoffs that have ended. */
    private final LinkedHashSet<Long> ended = new LinkedHashSet<>();

    /**
     * Everything that a handoff needs of its server. Immutable.
     *
     * @param switchNanos the targets wait this long for the sources' seals
     * @param targets the owners of targets elsewhere
     * @param prepared the targets that are prepared here
     * @param dead called when a master says that this incarnation is dead
     */
    public record Outside(
            long switchNanos,
            Masters masters,
            TargetServers targets,
            PreparedTargets prepared,
            Directory directory,
            Consumer<String> dead,
            ServerMetrics metrics) {}

    public HandoffsUnderWay(EventLoop loop, Incarnation self, Outside outside) {
        this.loop = loop;
        this.self = self;
        this.outside = outside;
    }

    /**
     * Carries an order out; answers when it has ended. An order that is already being carried out is joined, and one
     * that has ended is not repeated, because its targets may still have orders to delete their files of that number.
     */
    public CompletableFuture<HandoffOutcome> carryOut(HandoffOrder order) {
        loop.assertInside();
        Handoff known = underWay.get(order.getHandoff());
        if (known != null) {
            return known.outcome();
        }
        if (ended.contains(order.getHandoff())) {
            String message = "handoff " + HandoffNumber.text(order.getHandoff()) + " has ended here";
            return CompletableFuture.completedFuture(refused(ErrorCode.STALE_VERSION, message));
        }
        Handoff handoff;
        try {
            handoff = new Handoff(loop, self, ResolvedOrder.of(order, outside.directory()), outside);
        } catch (Refused refused) {
            return CompletableFuture.completedFuture(HandoffOutcome.newBuilder()
                    .setStatus(Refused.statusOf(refused))
                    .build());
        }
        underWay.put(order.getHandoff(), handoff);
        handoff.outcome().whenComplete((outcome, failure) -> ended(order.getHandoff()));
        handoff.begin();
        return handoff.outcome();
    }

    private void ended(long number) {
        underWay.remove(number);
        ended.add(number);
        if (ended.size() > ENDED_MAX) {
            ended.remove(ended.iterator().next());
        }
    }

    private static HandoffOutcome refused(ErrorCode code, String message) {
        return HandoffOutcome.newBuilder()
                .setStatus(Status.newBuilder().setCode(code).setMessage(message))
                .build();
    }

    public CompletableFuture<HandoffOutcome> cancel(HandoffCancel order) {
        loop.assertInside();
        Handoff known = underWay.get(order.getHandoff());
        if (known == null) {
            String message = "handoff " + HandoffNumber.text(order.getHandoff()) + " is not under way here";
            return CompletableFuture.completedFuture(refused(ErrorCode.NOT_FOUND, message));
        }
        known.cancel(order.getReason());
        return known.outcome();
    }

    public List<HandoffProgress> progress() {
        return underWay.values().stream().map(Handoff::progress).toList();
    }

    public void end() {
        loop.assertInside();
        List.copyOf(underWay.values()).forEach(Handoff::abandon);
    }
}
