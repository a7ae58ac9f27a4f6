/** Recordings on the disk: a file of lines of JSON, the first of which is a header and each other one a frame. */
@NullMarked
package cleave.board.recording;

import org.jspecify.annotations.NullMarked;
