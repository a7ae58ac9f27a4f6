/**
 * Which server opens which range: rows without a live owner, rows that their owner does not serve yet, and ranges whose
 * store fails at their owner. Level-triggered: every tick compares the map with what the servers report.
 */
@NullMarked
package cleave.master.takeover;

import org.jspecify.annotations.NullMarked;
