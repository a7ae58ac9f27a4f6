/** The page of a board, and what it asks for, over HTTP. Adapters: sockets and threads are here. */
@NullMarked
package cleave.board.http;

import org.jspecify.annotations.NullMarked;
