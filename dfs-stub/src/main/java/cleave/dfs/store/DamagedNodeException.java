package cleave.dfs.store;

import java.io.IOException;

/** The disk lacks parts of the node's state. The node must not start, because it would answer wrong lengths. */
public final class DamagedNodeException extends IOException {
    private static final long serialVersionUID = 1;

    DamagedNodeException(String message) {
        super("the node's disk is damaged, it does not start: " + message);
    }
}
