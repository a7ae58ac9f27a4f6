/** How the key space is cut into buckets, and how buckets of different axes compare. Pure. */
@NullMarked
package cleave.board.axis;

import org.jspecify.annotations.NullMarked;
