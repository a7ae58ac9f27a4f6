package cleave.master.policy;

import cleave.master.policy.Check.Said;
import java.util.Locale;

/** The conditions that several rules share. Stateless. */
final class RangeChecks {
    private RangeChecks() {}

    static Check<OwnedRange> notServed() {
        return new Check<>(
                WhyNot.Reason.NOT_SERVED,
                range -> range.load() == null,
                range -> Said.of("its owner, " + range.owner() + ", does not report it as served"));
    }

    static Check<OwnedRange> busy(ClusterView view, Prediction prediction) {
        return new Check<>(
                WhyNot.Reason.BUSY,
                range -> prediction.isBusy(range.row()),
                range -> Said.of(view.underWay().stream()
                        .filter(plan -> plan.begunWith(range.row()))
                        .map(plan -> "a " + plan.kind().name().toLowerCase(Locale.ROOT) + " of it is under way")
                        .findFirst()
                        .orElse("a handoff of it is about to begin")));
    }

    /** After a decision that is not seen to have worked yet, or a refusal. */
    static Check<OwnedRange> cooling(long now) {
        return new Check<>(WhyNot.Reason.COOLING, range -> range.history().rests(now), range -> {
            long until = range.history().restUntilNanos();
            return Said.until(
                    until,
                    "it rests for " + Check.seconds(until - now)
                            + (range.history().restsUnsplit()
                                    ? ", because it could not be split"
                                    : ", because a handoff of it was decided lately"));
        });
    }

    static Check<OwnedRange> movedLately(ClusterView view, long now) {
        long rest = view.settings().moveRestNanos();
        return new Check<>(WhyNot.Reason.MOVED_LATELY, range -> range.history().wasMovedWithin(rest, now), range -> {
            long moved = range.history().movedOr(now);
            return Said.until(
                    moved + rest,
                    "it came to its server " + Check.seconds(now - moved) + " ago, and stays there for "
                            + Check.seconds(rest),
                    Figure.seconds("since-move", now - moved),
                    Figure.seconds("rest", rest));
        });
    }

    static Check<OwnedRange> draining() {
        return new Check<>(
                WhyNot.Reason.DRAINING,
                range -> range.server().draining(),
                range -> Said.of(
                        "its owner, " + range.owner() + ", is draining: its ranges are moved away as they are"));
    }

    static Check<OwnedRange> aside() {
        return new Check<>(
                WhyNot.Reason.ASIDE,
                range -> range.server().aside(),
                range -> Said.of(
                        "its owner, " + range.owner()
                                + ", gets no ranges, because its disk is short of space, its clock is off, or the DFS does not answer it"));
    }

    static Check<OwnedRange> budget(Prediction prediction) {
        return new Check<>(
                WhyNot.Reason.BUDGET,
                range -> !prediction.mayTakePart(range.owner()),
                range -> Said.of(
                        "its owner, " + range.owner() + ", takes part in " + prediction.handoffsOf(range.owner())
                                + " handoffs, the most at a time",
                        Figure.count("handoffs", prediction.handoffsOf(range.owner()))));
    }
}
