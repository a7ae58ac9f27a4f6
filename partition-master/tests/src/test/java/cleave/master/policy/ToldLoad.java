package cleave.master.policy;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** A load as a test has it. */
record ToldLoad(
        double entities,
        double entities30s,
        long bytes,
        @Nullable Middle middle,
        List<Candidate> candidates,
        @Nullable Hottest hottest,
        @Nullable End end)
        implements Load {
    @Override
    public boolean isSizeKnown() {
        return middle != null;
    }
}
