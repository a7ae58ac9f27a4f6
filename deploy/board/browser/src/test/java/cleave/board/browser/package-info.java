/** The pages that Cleave shows people, the board and the films of the simulator, in a real browser. */
@NullMarked
package cleave.board.browser;

import org.jspecify.annotations.NullMarked;
