package cleave.server.range;

import cleave.dfs.DfsFile;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The fence that an incarnation may use now, if any; shared by its loops. Thread-safe.
 *
 * <p>Invariant I2: it is one that the masters have armed for this very incarnation, and none is used while another one is being armed.
 */
public final class ArmedFence {
    private final long barriersMax;
    private final BiConsumer<DfsFile, String> ended;
    private final AtomicReference<@Nullable DfsFile> file = new AtomicReference<>();
    private final AtomicLong barriers = new AtomicLong();

    /**
     * @param barriersMax at how many barriers a fence is replaced
     * @param ended called on any thread, once for each fence, with the reason why it is not used any more
     */
    public ArmedFence(long barriersMax, BiConsumer<DfsFile, String> ended) {
        this.barriersMax = barriersMax;
        this.ended = ended;
    }

    /** Takes a fence that the masters have armed. */
    public void arm(DfsFile armed) {
        barriers.set(0);
        file.set(armed);
    }

    /** From now on none is used. */
    public void disarm() {
        file.set(null);
    }

    /** The file of the fence; null if none may be used. */
    @Nullable
    DfsFile file() {
        return file.get();
    }

    /** Notes a barrier that is about to be sent. */
    void sends(DfsFile used) {
        if (barriers.incrementAndGet() >= barriersMax) {
            end(used, "it has taken " + barriersMax + " barriers");
        }
    }

    /** Notes that a barrier failed. */
    void failed(DfsFile used, Throwable failure) {
        end(used, String.valueOf(failure.getMessage()));
    }

    private void end(DfsFile used, String why) {
        if (file.compareAndSet(used, null)) {
            ended.accept(used, why);
        }
    }
}
