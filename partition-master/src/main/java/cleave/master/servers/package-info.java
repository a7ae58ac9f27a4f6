/**
 * The partition servers as the leader sees them: their heartbeat streams, loads, free space and clocks, and the calls that it makes
 * to them. Soft state, lost with the leadership.
 */
@NullMarked
package cleave.master.servers;

import org.jspecify.annotations.NullMarked;
