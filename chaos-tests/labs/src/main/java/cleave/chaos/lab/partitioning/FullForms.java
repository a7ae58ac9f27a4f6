package cleave.chaos.lab.partitioning;

import cleave.chaos.lab.Experiment;
import cleave.chaos.lab.FullForm;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The labs that have a full form. */
public final class FullForms {
    private static final Map<String, FullTrial.Course> ALL = Map.of(
            "append-and-prepend", FullOneRange::append,
            "hot-range", FullHotRange::run,
            "hot-partition", FullOneRange::popular,
            "steady", FullSteadyLoads::run);

    private FullForms() {}

    /** That of a lab; null if there is none. */
    public static @Nullable Experiment of(String lab, FullForm form) {
        FullTrial.Course course = ALL.get(lab);
        return course == null ? null : FullTrial.of(form, course);
    }
}
