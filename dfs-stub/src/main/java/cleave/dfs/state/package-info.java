/**
 * The names of files: which extents a file is made of, where they lie, and how long the sealed ones are. A pure state machine,
 * off the path of appends; the keeper of its log (a node's journal, or a Raft group) applies its commands.
 */
@NullMarked
package cleave.dfs.state;

import org.jspecify.annotations.NullMarked;
