package cleave.server.handoff;

import cleave.model.Incarnation;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.Row;
import cleave.server.range.Directory;
import cleave.server.range.Range;
import cleave.server.range.Refused;
import cleave.wire.ErrorCode;
import cleave.wire.HandoffOrder;
import cleave.wire.HandoffOrderSource;
import cleave.wire.HandoffOrderTarget;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * A master's order to replace ranges that are served here, checked and with those ranges. Immutable.
 *
 * @param sources served here, adjacent, in key order
 * @param targets tile the union of the sources
 */
record ResolvedOrder(long handoff, List<Served> sources, List<Target> targets, long deadlineNanos) {
    private static final long DEADLINE_NANOS = 60_000_000_000L;

    /** A source, and how the order names it. */
    record Served(HandoffOrderSource ordered, Range range) {}

    /** A target, with its owner and the owner's address. */
    record Target(KeyRange range, Incarnation owner, String address) {}

    /** Throws {@link Refused} if the order is malformed, or for ranges that are not served here. */
    static ResolvedOrder of(HandoffOrder order, Directory directory) {
        List<Served> sources = new ArrayList<>();
        for (HandoffOrderSource each : order.getSourcesList()) {
            Range range = directory.range(each.getRoute().getRange());
            if (range == null || !range.ownership().agreesWith(each.getRoute())) {
                throw new Refused(
                        ErrorCode.NOT_OWNER,
                        "this server does not serve range "
                                + Row.idText(each.getRoute().getRange()) + " under that epoch");
            }
            sources.add(new Served(each, range));
        }
        List<Target> targets = new ArrayList<>();
        for (HandoffOrderTarget each : order.getTargetsList()) {
            KeyRange interval = KeyRange.fromWire(each.getStart(), each.getEnd());
            require(interval != null && interval.isOfWholePartitions(), "a target is not a range");
            require(!each.getAddress().isEmpty(), "a target's owner has no address");
            if (interval != null) {
                targets.add(new Target(interval, Incarnation.fromWire(each.getOwner()), each.getAddress()));
            }
        }
        require(!sources.isEmpty() && !targets.isEmpty(), "a handoff has at least one source and one target");
        require(
                union(sources.stream()
                                .map(each -> each.range().ownership().interval())
                                .toList())
                        .equals(union(targets.stream().map(Target::range).toList())),
                "the targets do not cover what the sources do");
        long millis = Integer.toUnsignedLong(order.getDeadlineMillis());
        return new ResolvedOrder(
                order.getHandoff(),
                List.copyOf(sources),
                List.copyOf(targets),
                millis == 0 ? DEADLINE_NANOS : millis * 1_000_000);
    }

    private static KeyRange union(List<KeyRange> parts) {
        KeyRange all = parts.get(0);
        for (KeyRange next : parts.subList(1, parts.size())) {
            Key end = all.end();
            require(Objects.equals(next.start(), end), next + " does not follow " + all);
            all = new KeyRange(all.start(), next.end());
        }
        return all;
    }

    private static void require(boolean claim, String otherwise) {
        if (!claim) {
            throw new Refused(ErrorCode.INVALID, otherwise);
        }
    }

    /** Which of the planned uses it is: split, merge or move. */
    String use() {
        return sources.size() > 1 ? "merge" : targets.size() > 1 ? "split" : "move";
    }
}
