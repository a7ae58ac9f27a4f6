/** The DFS on Apache BookKeeper: a file is a ledger, its name is a node of ZooKeeper. */
@NullMarked
package cleave.dfs.bookkeeper;

import org.jspecify.annotations.NullMarked;
