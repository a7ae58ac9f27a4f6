package cleave.deploy.backup;

import cleave.deploy.CommandFailure;
import cleave.dfs.Dfs;
import cleave.dfs.Dfs.Space;
import cleave.dfs.DfsException;
import cleave.dfs.DfsException.Reason;
import cleave.model.Readiness;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * Waits for answers while a DFS is written, and watches its space. A node whose disk is full repeats its writes until there is
 * space, and answers nothing until then. Confined to one thread.
 */
final class WaitingForSpace implements Waiting {
    /** Shorter together than the time after which a create without an answer fails, which would not name the cause. */
    private static final int FULL_LOOKS_MAX = 5;

    private static final int SILENT_LOOKS = 10;

    private final Dfs target;
    private final Duration look;
    private final Consumer<String> notes;

    WaitingForSpace(Dfs target, Consumer<String> notes) {
        this(target, Duration.ofSeconds(1), notes);
    }

    /**
     * @param look the time between two looks at the space
     * @param notes gets what the operator should know while the answer is awaited
     */
    WaitingForSpace(Dfs target, Duration look, Consumer<String> notes) {
        this.target = target;
        this.look = look;
        this.notes = notes;
    }

    /** NO_SPACE if the target has been full at several looks in a row. */
    @Override
    public <T> T await(CompletableFuture<T> work) {
        int full = 0;
        for (int looks = 1; !isAnswered(work, look); looks++) {
            full = target.space() == Space.FULL ? full + 1 : 0;
            if (full == FULL_LOOKS_MAX) {
                throw new DfsException(Reason.NO_SPACE, "the disk of TO is full, and takes nothing");
            }
            if (looks % SILENT_LOOKS == 0) {
                notes.accept("Still waiting for an answer after "
                        + look.multipliedBy(looks).toSeconds() + " s" + why());
            }
        }
        return LiveCluster.join(work);
    }

    private String why() {
        CompletableFuture<Readiness> probe = target.probe();
        return isAnswered(probe, look) && !LiveCluster.join(probe).missing().isEmpty()
                ? "; TO: " + LiveCluster.join(probe).missing()
                : "";
    }

    private static boolean isAnswered(CompletableFuture<?> work, Duration within) {
        try {
            work.get(within.toNanos(), TimeUnit.NANOSECONDS);
            return true;
        } catch (TimeoutException notYet) {
            return false;
        } catch (ExecutionException | CancellationException failed) {
            return true;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw CommandFailure.failed("interrupted");
        }
    }
}
