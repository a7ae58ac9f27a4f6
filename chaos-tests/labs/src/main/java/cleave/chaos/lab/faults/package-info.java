/**
 * Measurements of labs about fault tolerance: processes are killed and paused and disks are lost, under clients whose every answer is checked,
 * and the simulator runs with one rule taken out.
 */
@NullMarked
package cleave.chaos.lab.faults;

import org.jspecify.annotations.NullMarked;
