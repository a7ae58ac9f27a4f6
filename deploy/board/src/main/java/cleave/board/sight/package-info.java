/** What a cluster's leader and its processes say, made a frame, and what can be concluded from it. Pure. */
@NullMarked
package cleave.board.sight;

import org.jspecify.annotations.NullMarked;
