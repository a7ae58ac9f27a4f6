package cleave.dfs.bookkeeper;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.data.Stat;

/** ZooKeeper's nodes, in a session that renews itself. Failed futures carry a {@link Refused}. Thread-safe. */
interface Nodes {
    int ANY_VERSION = -1;

    /** A node as it was read. Immutable, but for its bytes, which nobody changes. */
    @SuppressWarnings("ArrayRecordComponent") // Nobody compares nodes.
    record Node(byte[] data, Stat stat) {}

    /** The number of the session, for the calls from now on. */
    long session();

    /** Empty if there is none. */
    CompletableFuture<Optional<Node>> get(String node);

    CompletableFuture<Stat> set(String node, byte[] data, int version);

    /** Carries out all operations, or none. */
    CompletableFuture<Void> change(List<Op> operations);

    /** The names of a node's children; none if it does not exist. */
    CompletableFuture<List<String>> children(String node);

    /** A call that ZooKeeper refused, or did not answer; then it may have been executed. */
    final class Refused extends RuntimeException {
        private static final long serialVersionUID = 1;

        private final Code code;
        private final int operation;

        /** @param operation the index of the one that was refused */
        Refused(Code code, int operation) {
            super("ZooKeeper answers " + code);
            this.code = code;
            this.operation = operation;
        }

        Code code() {
            return code;
        }

        int operation() {
            return operation;
        }

        static boolean is(Throwable failure, Code code) {
            return Failures.cause(failure) instanceof Refused refused && refused.code == code;
        }
    }
}
