/**
 * The leader's use of the files of ranges in the DFS: it compares its map with them before it changes anything
 * ({@link Vetting}), and deletes those that no manifest reaches any more ({@link Sweeper}).
 */
@NullMarked
package cleave.master.sweep;

import org.jspecify.annotations.NullMarked;
