package cleave.server.handoff;

import cleave.model.HandoffNumber;
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
import java.util.function.Function;

/** The planned handoffs that one incarnation carries out, by the master's number. Confined to the membership's loop. */
public final class HandoffsUnderWay {
    private static final int ENDED_MAX = 1_024;

    private final Directory directory;
    private final Function<PlannedHandoff, Handoff> maker;
    private final TreeMap<Long, Handoff> underWay = new TreeMap<>();
    /** The newest that are not under way any more. */
    private final LinkedHashSet<Long> ended = new LinkedHashSet<>();

    public HandoffsUnderWay(Directory directory, Function<PlannedHandoff, Handoff> maker) {
        this.directory = directory;
        this.maker = maker;
    }

    /**
     * Answers when it has ended. An order that is being carried out already is joined, and one that has ended is not carried out
     * again: targets may still hear that they are to wipe what they made for that number.
     */
    public CompletableFuture<HandoffOutcome> carryOut(HandoffOrder order) {
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
            handoff = maker.apply(PlannedHandoff.of(order, directory));
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
        List.copyOf(underWay.values()).forEach(Handoff::abandon);
    }
}
