package cleave.chaos.lab;

import cleave.chaos.lab.partitioning.FullForms;
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
        Experiment its = FullForms.of(card.name(), form);
        return its == null ? null : new Lab(LabPage.full(card), its);
    }

    @Override
    public String toString() {
        return card.name();
    }
}
