package cleave.chaos.fault;

import cleave.wire.ErrorCode;
import java.util.List;

/**
 * The handoffs of a trial. Immutable.
 *
 * @param seen by the leaders' events
 * @param asked what operators requested
 * @param countsFrom those that began earlier are not measured
 */
record Handoffs(List<SeenHandoff> seen, List<ForcedHandoffs.Asked> asked, long countsFrom) {
    static final Handoffs NONE = new Handoffs(List.of(), List.of(), Long.MIN_VALUE);

    /** Handoffs whose end no leader reported: at most those of a leader that was killed. */
    long untold() {
        return seen.stream()
                .filter(handoff -> handoff.ended() == SeenHandoff.NEVER)
                .count();
    }

    /** Measured ones that were committed while nothing excused failures. */
    List<SeenHandoff> undisturbed(HandoffUse use, List<Trial.Excuse> excuses) {
        return seen.stream()
                .filter(handoff -> handoff.use() == use && handoff.isMeasured())
                .filter(handoff -> handoff.begun() >= countsFrom)
                .filter(handoff -> excuses.stream().noneMatch(excuse -> excuse.overlaps(handoff)))
                .toList();
    }

    List<SeenHandoff> givenUp() {
        return seen.stream()
                .filter(handoff -> handoff.ended() != SeenHandoff.NEVER && !handoff.done())
                .toList();
    }

    /** Requests that were answered by anything but OK. */
    List<ForcedHandoffs.Asked> refused() {
        return asked.stream()
                .filter(each -> each.answer().getCode() != ErrorCode.OK)
                .toList();
    }
}
