package cleave.chaos.lab;

import java.io.IOException;

/**
 * The steps of a lab: the script of its page, or a {@link FullForm}. Stateless; a run is confined to its thread.
 *
 * <p>A lab works in tables of its own ({@link LabRun#table}), so that labs can share a system, and a lab can be repeated. It draws its data from
 * seeds, and its claims hold on any machine: they compare what was counted, or orders of magnitude, never a time with a constant. If figures mean
 * nothing on a machine that is too slow, the lab says so and claims nothing of them. Claims of a {@link FullForm} are goals for an idle machine of
 * two cores: times and rates, too.
 */
@FunctionalInterface
public interface Experiment {
    /**
     * Measures, reports and claims.
     *
     * @throws IOException if the system does not answer; a claim that does not hold is reported, not thrown
     */
    void run(LabRun run) throws IOException;
}
