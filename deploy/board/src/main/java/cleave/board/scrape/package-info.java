/** The metrics of one process, and what a board shows of them. Pure. */
@NullMarked
package cleave.board.scrape;

import org.jspecify.annotations.NullMarked;
