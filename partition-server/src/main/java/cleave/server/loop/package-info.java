/**
 * The event loops of a partition server: one owns the server's membership (registration, heartbeats, orders), and each range is
 * owned by one of several others, which run its whole life: open, commit, confirm, publish, split, stop. What they need from
 * outside are the interfaces here and {@link cleave.dfs.Dfs}; adapters implement them, and so can a simulator.
 */
@NullMarked
package cleave.server.loop;

import org.jspecify.annotations.NullMarked;
