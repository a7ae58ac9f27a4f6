/** What a board remembers: frames in layers of falling resolution, and maps of the key space over time made of them. Pure. */
@NullMarked
package cleave.board.history;

import org.jspecify.annotations.NullMarked;
