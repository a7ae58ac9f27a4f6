package cleave.chaos.sim.dfs;

import cleave.chaos.sim.world.SimProcess;
import cleave.dfs.DfsException;
import cleave.dfs.node.ExtentWork;
import cleave.dfs.node.JournalGroup;
import cleave.dfs.node.NodeIo;
import cleave.dfs.node.ReadPlan;
import cleave.dfs.store.ExtentFiles;
import cleave.dfs.store.ForgetfulDisk;
import cleave.dfs.store.JournalFiles;
import com.google.protobuf.ByteString;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/** The disk work of one process of a DFS node, in place of its threads; each piece takes a while. */
final class SimNodeIo implements NodeIo {
    private static final long RETRY_NANOS = 200_000_000;

    private final SimProcess process;
    private final Random random;
    private final ForgetfulDisk disk;
    private final JournalFiles journal;
    private final ExtentFiles extents;
    private final LongSupplier slowness;
    private final Consumer<IOException> failed;
    private final ArrayDeque<BooleanSupplier> waiting = new ArrayDeque<>();
    private long extentsBusyUntil;

    /**
     * @param slowness the extra duration of the next sync
     * @param failed ends the process
     */
    SimNodeIo(
            SimProcess process,
            Random random,
            ForgetfulDisk disk,
            ExtentFiles extents,
            LongSupplier slowness,
            Consumer<IOException> failed) {
        this.process = process;
        this.random = random;
        this.disk = disk;
        this.journal = new JournalFiles(disk);
        this.extents = extents;
        this.slowness = slowness;
        this.failed = failed;
    }

    private interface Work {
        void run() throws IOException;
    }

    @Override
    public void commit(JournalGroup group, Runnable done) {
        process.world().count(group.beginsSegment() ? "segments of the DFS journal" : "groups of the DFS journal");
        long took = 100_000 + random.nextInt(2_000_000) + slowness.getAsLong();
        process.deliver(took, () -> attemptJournal(() -> journal.commit(group), done));
    }

    @Override
    public void execute(ExtentWork work, Runnable done) {
        if (work instanceof ExtentWork.WriteCheckpoint) {
            process.world().count("checkpoints of the DFS node");
        } else if (work instanceof ExtentWork.WriteBulk) {
            process.world().count("large appends");
        }
        long now = process.world().now();
        extentsBusyUntil = Math.max(extentsBusyUntil, now) + 1 + random.nextInt(1_000_000);
        process.deliver(extentsBusyUntil - now, () -> attemptExtents(() -> extents.execute(work), done));
    }

    @Override
    public void measure(LongConsumer free) {
        process.deliver(1_000_000, () -> free.accept(disk.freeBytes()));
    }

    /** Executes work in order; work without space delays everything after it until there is space. */
    private void attemptExtents(Work work, Runnable done) {
        waiting.add(() -> attempt(work, done));
        if (waiting.size() == 1) {
            runWaiting();
        }
    }

    private void runWaiting() {
        while (!waiting.isEmpty()) {
            if (!waiting.element().getAsBoolean()) {
                process.deliver(RETRY_NANOS, this::runWaiting);
                return;
            }
            waiting.remove();
        }
    }

    private void attemptJournal(Work work, Runnable done) {
        if (!attempt(work, done)) {
            process.deliver(RETRY_NANOS, () -> attemptJournal(work, done));
        }
    }

    /** False if there is no space now. */
    private boolean attempt(Work work, Runnable done) {
        try {
            work.run();
        } catch (ForgetfulDisk.FullException full) {
            process.world().count("writes that found the DFS disk full");
            return false;
        } catch (IOException why) {
            failed.accept(why);
            return true;
        }
        done.run();
        return true;
    }

    /** Like its reading threads. */
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
