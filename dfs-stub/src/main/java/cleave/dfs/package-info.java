/**
 * An embedded and a networked file system of one node ({@link cleave.dfs.DfsClients}, {@link cleave.dfs.DfsNode}), and
 * the contract of every DFS ({@link cleave.dfs.Dfs}): append-only files with one writer, ended forever by {@code seal}.
 * The contract is small on purpose, so that any distributed file system with a fence can implement it.
 */
@NullMarked
package cleave.dfs;

import org.jspecify.annotations.NullMarked;
