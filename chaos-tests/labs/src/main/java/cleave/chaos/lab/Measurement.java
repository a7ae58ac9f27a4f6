package cleave.chaos.lab;

import java.io.IOException;

/**
 * What a lab measures that no script can, because it steers servers or many clients: the lab's script runs it, and reports what it has measured.
 * Has a constructor without parameters. Stateless; a run is confined to its thread.
 */
@FunctionalInterface
public interface Measurement {
    /** What was measured, whose components the script reads by their names; their text is that of the report. */
    Record measure(LabRun run) throws IOException;
}
