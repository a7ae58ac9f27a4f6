package cleave.dfs.store;

import java.io.IOException;

/** The disk does not hold what a node needs to know what it knows: it must not start, or it would answer wrong lengths. */
public final class DamagedNodeException extends IOException {
    private static final long serialVersionUID = 1;

    DamagedNodeException(String message) {
        super("the node's disk is damaged, it does not start: " + message);
    }
}
