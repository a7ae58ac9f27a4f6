package cleave.master.loop;

import cleave.master.policy.Load;
import cleave.model.Key;
import cleave.wire.RangeLoad;
import cleave.wire.SplitCandidate;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads what servers tell of their ranges. Stateless. */
final class Loads {
    private Loads() {}

    static Load of(RangeLoad wire) {
        List<Load.Candidate> candidates = new ArrayList<>();
        for (SplitCandidate each : wire.getCandidatesList()) {
            double all = (double) each.getLeft() + each.getRight();
            if (all > 0) {
                Key at = Key.fromWire(each.getAt());
                candidates.add(new Load.Candidate(at, each.getLeft() / all, each.getSpanning() / all, each.getHits()));
            }
        }
        return new Load(
                wire.getEntitiesPerSecond(),
                wire.getEntitiesPerSecond30S(),
                wire.getBytes(),
                candidates,
                hottest(wire),
                end(wire));
    }

    private static Load.@Nullable Hottest hottest(RangeLoad wire) {
        return wire.hasHottest()
                ? new Load.Hottest(
                        Key.fromWire(wire.getHottest().getFirst()),
                        wire.getHottest().getPart(),
                        wire.getHottest().getSamples())
                : null;
    }

    private static Load.@Nullable End end(RangeLoad wire) {
        return wire.getLastPartition().isEmpty()
                ? null
                : new Load.End(
                        wire.getInsertedBehind(),
                        wire.getInsertedBefore(),
                        Key.fromWire(wire.getFirstPartition()),
                        Key.fromWire(wire.getLastPartition()));
    }
}
