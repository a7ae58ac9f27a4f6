/**
 * The two cores of the DFS. {@link cleave.dfs.loop.NodeCore} is one node: extents, journal groups, fences, and the
 * state machine of names. {@link cleave.dfs.loop.StreamClient} is the client: writers that survive the loss of a node,
 * the seal, readers. Neither has threads or disks; they reach the outside through {@link cleave.dfs.loop.NodeIo} and
 * {@link cleave.dfs.loop.NodeLink}.
 */
@NullMarked
package cleave.dfs.loop;

import org.jspecify.annotations.NullMarked;
