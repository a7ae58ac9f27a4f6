package cleave.server.dfs;

import cleave.dfs.Dfs;
import cleave.dfs.DfsFile;
import cleave.loop.EventLoop;
import com.google.protobuf.ByteString;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Knows whether the DFS can append, by appending a byte to a file of its own every now and then. Confined to its loop, but for
 * {@link #canAppend}.
 */
public final class AppendProbe {
    private static final long PERIOD_NANOS = 1_000_000_000;
    private static final long PATIENCE_NANOS = 5_000_000_000L;
    /** Then another file is begun, so that it stays small. */
    private static final int BYTES_MAX = 10_000;

    private static final ByteString BYTE = ByteString.copyFrom(new byte[1]);

    private final EventLoop loop;
    private final Dfs dfs;
    private final String disk;
    private final String life;
    private int files;
    private int bytes;
    private @Nullable DfsFile file;
    private boolean stopped;
    private volatile long appendedNanos;
    private volatile boolean ever;

    /**
     * @param disk what the paths of its files begin with, for processes on the same disk, of which one at a time lives, and for no other:
     *     not for another server that was given the same id
     * @param life differs from process to process
     */
    public AppendProbe(EventLoop loop, Dfs dfs, String disk, String life) {
        this.loop = loop;
        this.dfs = dfs;
        this.disk = disk + "-";
        this.life = disk + "-" + life + "-";
    }

    /** On any thread. */
    public void start() {
        loop.submit(() -> {
            sweep();
            probe();
        });
    }

    /** What earlier processes on this disk left. */
    private void sweep() {
        dfs.list(disk)
                .thenAccept(left -> left.stream()
                        .map(Dfs.FileInfo::path)
                        .filter(path -> !path.startsWith(life))
                        .forEach(dfs::delete));
    }

    private void probe() {
        if (stopped) {
            return;
        }
        DfsFile now = file;
        CompletableFuture<DfsFile> ready =
                now == null || bytes >= BYTES_MAX ? dfs.create(life + ++files) : CompletableFuture.completedFuture(now);
        ready.thenCompose(made -> made.append(BYTE).thenApply(length -> made).whenComplete((appended, failure) -> {
                    if (failure != null && made != now) {
                        giveUp(made);
                    }
                }))
                .whenComplete((made, failure) -> loop.submit(() -> probed(made)));
    }

    private void probed(@Nullable DfsFile made) {
        if (made != file && file != null) {
            giveUp(file);
            file = null;
        }
        if (made != null) {
            bytes = made == file ? bytes + 1 : 1;
            file = made;
            appendedNanos = loop.nanos();
            ever = true;
        }
        if (stopped) {
            end();
        } else {
            loop.schedule(PERIOD_NANOS, this::probe);
        }
    }

    /** On any thread. */
    public boolean canAppend() {
        return ever && loop.nanos() - appendedNanos < PATIENCE_NANOS;
    }

    /** On any thread. */
    public void stop() {
        loop.submit(() -> {
            stopped = true;
            end();
        });
    }

    private void end() {
        if (file != null) {
            giveUp(file);
            file = null;
        }
    }

    private void giveUp(DfsFile its) {
        its.close();
        dfs.delete(its.path());
    }
}
