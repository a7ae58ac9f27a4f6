/** One moment of a cluster as a board shows it, and its form as a line of JSON, which recordings, streams and files share. Pure. */
@NullMarked
package cleave.board.frame;

import org.jspecify.annotations.NullMarked;
