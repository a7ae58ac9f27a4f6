/**
 * Planned handoffs: splits, merges and moves. {@link Balancing}, {@link Drains} and operators give goals to {@link
 * PendingGoals}, which orders them from the owners through {@link HandoffCoordinator}, within the limits for a range and a
 * server; a {@link RunningHandoff} is one under way.
 */
@NullMarked
package cleave.master.handoff;

import org.jspecify.annotations.NullMarked;
