/**
 * Has servers open ranges: those that their owner does not serve yet, and those that {@link cleave.master.policy.TakeoverRule} gives to
 * another server. Level-triggered: every tick compares the map with what the servers report.
 */
@NullMarked
package cleave.master.takeover;

import org.jspecify.annotations.NullMarked;
