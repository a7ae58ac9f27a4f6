package cleave.chaos.sim;

import cleave.dfs.DfsException;
import cleave.dfs.loop.ExtentWork;
import cleave.dfs.loop.JournalGroup;
import cleave.dfs.loop.NodeIo;
import cleave.dfs.loop.ReadPlan;
import cleave.dfs.store.ExtentFiles;
import cleave.dfs.store.JournalFiles;
import com.google.protobuf.ByteString;
import java.io.IOException;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** The disk work of one life of a DFS node, in place of its threads: each piece takes a while. Confined to the simulation. */
final class SimNodeIo implements NodeIo {
    private final SimProcess process;
    private final Random random;
    private final JournalFiles journal;
    private final ExtentFiles extents;
    private final LongSupplier slowness;
    private final Consumer<IOException> failed;
    private long extentsBusyUntil;

    /**
     * @param slowness how much longer the next sync takes
     * @param failed ends the process
     */
    SimNodeIo(
            SimProcess process,
            Random random,
            JournalFiles journal,
            ExtentFiles extents,
            LongSupplier slowness,
            Consumer<IOException> failed) {
        this.process = process;
        this.random = random;
        this.journal = journal;
        this.extents = extents;
        this.slowness = slowness;
        this.failed = failed;
    }

    private interface Work {
        void run() throws IOException;
    }

    @Override
    public void commit(JournalGroup group, Runnable done) {
        process.world()
                .trace()
                .count(group.beginsSegment() ? "segments of the DFS journal" : "groups of the DFS journal");
        long took = 100_000 + random.nextInt(2_000_000) + slowness.getAsLong();
        process.deliver(took, () -> attempt(() -> journal.commit(group), done));
    }

    @Override
    public void execute(ExtentWork work, Runnable done) {
        if (work instanceof ExtentWork.WriteCheckpoint) {
            process.world().trace().count("checkpoints of the DFS node");
        } else if (work instanceof ExtentWork.WriteBulk) {
            process.world().trace().count("large appends");
        }
        long now = process.world().now();
        extentsBusyUntil = Math.max(extentsBusyUntil, now) + 1 + random.nextInt(1_000_000);
        process.deliver(extentsBusyUntil - now, () -> attempt(() -> extents.execute(work), done));
    }

    private void attempt(Work work, Runnable done) {
        try {
            work.run();
        } catch (IOException why) {
            failed.accept(why);
            return;
        }
        done.run();
    }

    /** As its reading threads do it. */
    CompletableFuture<ByteString> read(ReadPlan plan) {
        CompletableFuture<ByteString> result = new CompletableFuture<>();
        process.deliver(10_000 + random.nextInt(500_000), () -> {
            try {
                result.complete(extents.read(plan));
            } catch (DfsException damaged) {
                result.completeExceptionally(damaged);
            }
        });
        return result;
    }
}
