package cleave.board.recording;

import java.io.IOException;

/** A file that a board must not append to: its message says which and why, in one line. */
public final class Unfit extends IOException {
    private static final long serialVersionUID = 1;

    Unfit(String message) {
        super(message);
    }
}
