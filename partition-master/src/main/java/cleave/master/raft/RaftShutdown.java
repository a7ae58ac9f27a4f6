package cleave.master.raft;

import java.io.IOException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServer.Division;
import org.jspecify.annotations.Nullable;

/**
 * Ends a Raft server without waiting for calls that never complete. Stateless.
 *
 * <p>Ratis gives each connection three seconds to finish its calls. Some calls never finish: those to a lost member,
 * and streams that a leader abandoned. (When one of the two streams to a follower breaks, the leader abandons both; the
 * break of the second then abandons the new ones, too.) Nothing depends on calls once the log is closed, so the waiting
 * threads are interrupted and close their connections.
 */
final class RaftShutdown {
    private static final long GRACE_MILLIS = 100;

    private RaftShutdown() {}

    /** Returns when the log is closed and the port is free. */
    static void close(RaftServer server, Division division) throws IOException {
        division.close(); // With the state machine's last snapshot.
        ThreadGroup group = new ThreadGroup("raft-shutdown");
        FutureTask<@Nullable Void> close = new FutureTask<>(() -> {
            server.close();
            return null;
        });
        Thread closing = new Thread(group, close, "raft-shutdown");
        closing.setDaemon(true);
        closing.start();
        boolean interrupted = false;
        while (closing.isAlive()) {
            try {
                closing.join(GRACE_MILLIS);
            } catch (InterruptedException hurried) {
                interrupted = true; // The thread ends soon in any case.
            }
            interruptOthers(group, closing);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        rethrow(close);
    }

    private static void rethrow(FutureTask<@Nullable Void> ended) throws IOException {
        try {
            ended.get();
        } catch (ExecutionException failed) {
            throw failed.getCause() instanceof IOException known
                    ? known
                    : new IOException("Ratis could not be closed", failed.getCause());
        } catch (InterruptedException impossible) {
            throw new AssertionError("a task that has ended is not waited for", impossible);
        }
    }

    /** The threads that close connections, one for each member. */
    private static void interruptOthers(ThreadGroup group, Thread closing) {
        Thread[] threads = new Thread[group.activeCount()];
        int count = group.enumerate(threads);
        for (int i = 0; i < count; i++) {
            if (threads[i] != closing) {
                threads[i].interrupt();
            }
        }
    }
}
