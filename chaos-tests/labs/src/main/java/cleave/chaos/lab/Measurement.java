package cleave.chaos.lab;

import java.io.IOException;

/**
 * Measures for a script that needs power over processes, or the simulator, which its language does not give; the script reports and claims. It has
 * a constructor without parameters. Stateless.
 */
@FunctionalInterface
public interface Measurement {
    /**
     * Returns a record, whose components the script reads.
     *
     * @throws IOException if the system does not answer
     */
    Object of(LabRun run) throws IOException;
}
