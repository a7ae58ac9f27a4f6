/** What operators ask of the masters: the ranges, the servers, the leader, handoffs,
 * events, settings, and splits, merges, moves and drains before they are needed. */
@NullMarked
package cleave.deploy.admin;

import org.jspecify.annotations.NullMarked;
