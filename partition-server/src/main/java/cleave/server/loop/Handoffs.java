package cleave.server.loop;

import cleave.wire.ErrorCode;
import cleave.wire.HandoffCancel;
import cleave.wire.HandoffOrder;
import cleave.wire.HandoffOutcome;
import cleave.wire.HandoffProgress;
import cleave.wire.Status;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** The planned handoffs that one incarnation carries out, by the master's number. Confined to the membership's loop. */
final class Handoffs {
    private final Directory directory;
    private final Function<HandoffPlan, Handoff> maker;
    private final TreeMap<Long, Handoff> underWay = new TreeMap<>();

    Handoffs(Directory directory, Function<HandoffPlan, Handoff> maker) {
        this.directory = directory;
        this.maker = maker;
    }

    /** Answers when it has ended. An order that is being carried out already is joined. */
    CompletableFuture<HandoffOutcome> carryOut(HandoffOrder order) {
        Handoff known = underWay.get(order.getHandoff());
        if (known != null) {
            return known.outcome();
        }
        Handoff handoff;
        try {
            handoff = maker.apply(HandoffPlan.of(order, directory));
        } catch (Refused refused) {
            return CompletableFuture.completedFuture(HandoffOutcome.newBuilder()
                    .setStatus(Refused.statusOf(refused))
                    .build());
        }
        underWay.put(order.getHandoff(), handoff);
        handoff.outcome().whenComplete((outcome, failure) -> underWay.remove(order.getHandoff(), handoff));
        handoff.begin();
        return handoff.outcome();
    }

    CompletableFuture<HandoffOutcome> cancel(HandoffCancel order) {
        Handoff known = underWay.get(order.getHandoff());
        if (known == null) {
            return CompletableFuture.completedFuture(HandoffOutcome.newBuilder()
                    .setStatus(Status.newBuilder()
                            .setCode(ErrorCode.NOT_FOUND)
                            .setMessage("handoff " + order.getHandoff() + " is not under way here"))
                    .build());
        }
        known.cancel(order.getReason());
        return known.outcome();
    }

    List<HandoffProgress> progress() {
        return underWay.values().stream().map(Handoff::progress).toList();
    }

    void end() {
        List.copyOf(underWay.values()).forEach(Handoff::abandon);
    }
}
