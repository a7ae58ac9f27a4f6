/**
 * Planned handoffs: splits, merges and moves. The balancer, draining servers and operators want them; {@link Handoffs} has the
 * owners carry them out, within the limits for a range and a server.
 */
@NullMarked
package cleave.master.handoff;

import org.jspecify.annotations.NullMarked;
