package cleave.chaos.sim;

import cleave.dfs.Dfs;
import cleave.dfs.DfsFile;
import cleave.dfs.memory.InMemoryDfs;
import com.google.protobuf.ByteString;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A DFS in memory behind the simulated network that fails in every way its contract permits: appends of unknown outcome, slow seals
 * that cut inside the last append, open files of which less is visible than acknowledged, calls that fail although they were
 * executed. It survives all crashes. Confined to the simulation.
 */
final class SimDfs implements SimMedium {
    static final String NODE = "dfs";

    private final World world;
    private final Random random;
    private final InMemoryDfs files = new InMemoryDfs();
    /** How much of each open file was visible when it was last looked at. */
    private final TreeMap<String, Long> visible = new TreeMap<>();
    /** Files whose appends do not become durable any more. */
    private final TreeSet<String> stalled = new TreeSet<>();

    private final TreeSet<String> others = new TreeSet<>();
    private Consumer<String> onDelete = path -> {};
    private FaultRates faultRates = FaultRates.NONE;
    private @Nullable Cut cut;

    /** Decides how much of a file a seal leaves, in place of chance. */
    interface Cut {
        /** From what is durable to what is stored. */
        int length(int durable, int stored);
    }

    SimDfs(World world) {
        this.world = world;
        this.random = world.newRandom();
        files.holdAppends(path -> true);
        files.sealBy(new Sealing());
    }

    @Override
    public String node() {
        return NODE;
    }

    @Override
    public void inject(FaultRates how) {
        faultRates = how;
    }

    FaultRates faultRates() {
        return faultRates;
    }

    InMemoryDfs files() {
        return files;
    }

    Random random() {
        return random;
    }

    /** All seals cut like this from now on. */
    void cutSeals(Cut how) {
        cut = how;
    }

    /** Sets the space that its clients see from now on. */
    void has(Dfs.Space space) {
        files.space(space);
    }

    /** The medium of a file breaks: the appends that are not durable fail, and may have happened. */
    void breakMedium(String path) {
        world.trace().note(world.now(), NODE, "breaks", path);
        world.trace().count("appends of unknown outcome");
        files.breakAppends(path, Integer.MAX_VALUE);
    }

    /** Appends to a file do not become durable any more, and its medium breaks soon. */
    void stall(String path) {
        stalled.add(path);
        long patience = random.nextBoolean() ? 1_000_000 : random.nextInt(500_000_000);
        world.after(patience, () -> breakMedium(path));
    }

    boolean isStalled(String path) {
        return stalled.contains(path);
    }

    @Override
    public void mend(String path) {
        files.mend(path);
        stalled.remove(path);
    }

    @Override
    public void onDelete(Consumer<String> listener) {
        onDelete = listener;
    }

    @Override
    public Dfs at(SimProcess process) {
        return new SimDfsClient(world, this, process);
    }

    @Override
    public boolean exists(String path) {
        return files.exists(path);
    }

    @Override
    public @Nullable ByteString peek(String path) {
        return files.stored(path);
    }

    int storedLength(String path) {
        ByteString stored = peek(path);
        return stored == null ? 0 : stored.size();
    }

    @Override
    public long durableLength(String path) {
        return files.length(path);
    }

    @Override
    public boolean isSealed(String path) {
        return files.exists(path) && files.isSealed(path);
    }

    private final class Sealing implements InMemoryDfs.Sealing {
        @Override
        public int length(int durable, int stored) {
            int length = cut == null ? chosen(durable, stored) : cut.length(durable, stored);
            world.trace().count("seals");
            if (length < stored) {
                world.trace().count("seals that cut");
            }
            return length;
        }

        private int chosen(int durable, int stored) {
            return switch (random.nextInt(3)) {
                case 0 -> durable;
                case 1 -> stored;
                default -> durable + random.nextInt(stored - durable + 1);
            };
        }

        @Override
        public boolean acknowledges() {
            return random.nextInt(3) > 0;
        }
    }

    /** Creates a file, unless another cluster turns out to use the path. */
    CompletableFuture<DfsFile> create(String path) {
        boolean taken = random.nextDouble() < faultRates.taken();
        if (taken && !files.create(path).isCompletedExceptionally()) {
            world.trace().count("paths in use");
            others.add(path);
        }
        return files.create(path);
    }

    CompletableFuture<ByteString> read(String path, long offset, int length) {
        if (!files.exists(path) || length < 0) {
            return files.read(path, offset, length);
        }
        long end = Math.min(visible(path, files.length(path), files.isSealed(path)), offset + length);
        return files.read(path, offset, (int) Math.max(0, end - offset));
    }

    CompletableFuture<Dfs.FileInfo> stat(String path) {
        return files.stat(path).thenApply(this::visible);
    }

    CompletableFuture<List<Dfs.FileInfo>> list(String prefix) {
        return files.list(prefix)
                .thenApply(found -> found.stream().map(this::visible).toList());
    }

    private Dfs.FileInfo visible(Dfs.FileInfo file) {
        return new Dfs.FileInfo(file.path(), visible(file.path(), file.length(), file.sealed()), file.sealed());
    }

    private long visible(String path, long durable, boolean sealed) {
        if (sealed) {
            return durable;
        }
        if (random.nextInt(4) > 0) {
            visible.put(path, durable);
        }
        return visible.getOrDefault(path, 0L);
    }

    CompletableFuture<Void> delete(String path, SimProcess by) {
        if (others.contains(path) && !by.node().startsWith("m")) { // A sweep knows names only.
            world.violation(Finding.By.MAP, by.node() + " deletes a file that it did not make: " + path);
        }
        if (files.exists(path)) {
            onDelete.accept(path);
        }
        world.trace().count("files deleted");
        return files.delete(path);
    }
}
