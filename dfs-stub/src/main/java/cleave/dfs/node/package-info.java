/**
 * The core of the node: extents, journal groups, fences, and the names behind the journal. {@link
 * cleave.dfs.node.NodeCore} has neither threads nor a disk; it reaches the outside through {@link
 * cleave.dfs.node.NodeIo}, and clients reach it through {@link cleave.dfs.node.CoreLink}.
 */
@NullMarked
package cleave.dfs.node;

import org.jspecify.annotations.NullMarked;
