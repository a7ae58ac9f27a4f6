/** Adapters to the DFS: files of checkpoints between a local folder and the DFS, and the proof that the DFS can append. */
@NullMarked
package cleave.server.dfs;

import org.jspecify.annotations.NullMarked;
