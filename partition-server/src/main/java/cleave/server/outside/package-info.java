/**
 * The interfaces of a partition server's core to the outside, besides {@link cleave.dfs.Dfs}: masters, other servers,
 * stores, threads for scans. The adapters implement these interfaces, and so does the simulator.
 */
@NullMarked
package cleave.server.outside;

import org.jspecify.annotations.NullMarked;
