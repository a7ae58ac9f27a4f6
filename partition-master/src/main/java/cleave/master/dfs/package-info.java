/** The master's view of the DFS: its sweep lists the files of ranges, reads manifests, and deletes what nothing reaches. */
@NullMarked
package cleave.master.dfs;

import org.jspecify.annotations.NullMarked;
