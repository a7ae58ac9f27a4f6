package cleave.chaos.lab;

import org.jspecify.annotations.Nullable;

/**
 * One idea, shown by a run. Immutable.
 *
 * @param card what a reader knows before the run
 */
public record Lab(LabCard card, Experiment experiment) {
    /** Its full form; null if there is none. */
    @Nullable
    Lab full(FullForm form) {
        Experiment its = experiment.full(form);
        return its == null ? null : new Lab(card.full(), its);
    }

    @Override
    public String toString() {
        return card.name();
    }
}
