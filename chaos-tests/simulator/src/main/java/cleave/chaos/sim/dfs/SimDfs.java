package cleave.chaos.sim.dfs;

import cleave.chaos.sim.bugs.Bug;
import cleave.chaos.sim.world.Finding;
import cleave.chaos.sim.world.SimMedium;
import cleave.chaos.sim.world.SimProcess;
import cleave.chaos.sim.world.World;
import cleave.dfs.Dfs;
import cleave.dfs.DfsFile;
import cleave.dfs.memory.InMemoryDfs;
import cleave.dfs.policy.FenceTimes;
import cleave.dfs.policy.NameTrust;
import com.google.protobuf.ByteString;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntBinaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * An in-memory DFS behind the simulated network that fails in every way its contract permits: appends of unknown
 * outcome, files that break by themselves, slow seals that cut the last append, open files that show less than was
 * acknowledged, sealed files that look open, temporarily unavailable names, and calls that fail although they were
 * executed. It survives all crashes.
 *
 * <p>Its engine may forget the fences of deleted files, as distributed engines do. Its handles then keep the contract
 * by {@link NameTrust}, as those of such an engine must, with shorter times.
 */
public final class SimDfs extends SimMedium {
    public static final String NODE = "dfs";

    private static final double SELDOM = 0.25;

    private final World world;
    private final Random random;
    private final Bug bug;
    private final InMemoryDfs files = new InMemoryDfs();
    /** The length of each open file when it was last read or described. */
    private final TreeMap<String, Long> visible = new TreeMap<>();
    /** Files whose appends no longer become durable. */
    private final TreeSet<String> stalled = new TreeSet<>();

    private final TreeSet<String> others = new TreeSet<>();
    /** The times until which sealed files look open to clients that did not seal them. */
    private final TreeMap<String, Long> looksOpenUntil = new TreeMap<>();

    private FenceTimes fences = FenceTimes.DEFAULT;
    private long barriersPerFile = Long.MAX_VALUE;
    private long namesAwayUntil;
    /** Chooses the length that a seal leaves, from the durable to the stored one; null for a random choice. */
    private @Nullable IntBinaryOperator cut;

    /** @param bug one about an engine that forgets, or none */
    public SimDfs(World world, Bug bug) {
        this.world = world;
        this.bug = bug;
        this.random = world.newRandom();
        files.holdAppends(path -> true);
        files.sealBy(new Sealing());
    }

    @Override
    public String node() {
        return NODE;
    }

    public InMemoryDfs files() {
        return files;
    }

    Random random() {
        return random;
    }

    /** All seals cut like this from now on. */
    public void cutSeals(IntBinaryOperator how) {
        cut = how;
    }

    /** Sets the space that its clients see from now on. */
    public void has(Dfs.Space space) {
        files.space(space);
    }

    /**
     * Makes the engine forget the fences of files some time after their deletion, and later the files themselves. As such engines do, it
     * stores barriers, and seals files that their writers have given up.
     */
    public void forgetsFences() {
        forgetsFences(300_000_000L + random.nextInt(1_200_000_000));
        barriersPerFile = 1L + random.nextInt(100);
    }

    /** The same; handles trust the engine for this long. */
    public void forgetsFences(long trustNanos) {
        fences = new FenceTimes(trustNanos, 2 * trustNanos);
    }

    /** At how many barriers a file should be replaced. */
    long barriersPerFile() {
        return barriersPerFile;
    }

    boolean sealsWhatIsGivenUp() {
        return barriersPerFile < Long.MAX_VALUE;
    }

    /** Seals a file whose writer has closed its handle. */
    void sealGivenUp(String path) {
        if (files.exists(path) && !files.isSealed(path)) {
            world.note(NODE, "seals what was given up:", path);
            world.count("files given up and sealed");
            seal(path);
        }
    }

    /** The times that handles use. */
    FenceTimes fences() {
        return bug == Bug.OLD_NAME_TRUSTED ? FenceTimes.DEFAULT : fences;
    }

    /** Makes names unavailable for this time; appends, barriers and reads still work. */
    public void losesNames(long nanos) {
        world.note(NODE, "loses", "its names");
        namesAwayUntil = Math.max(namesAwayUntil, world.now() + nanos);
    }

    boolean hasNames() {
        return world.now() >= namesAwayUntil;
    }

    /** Breaks all open files whose paths contain this, even idle ones. */
    public void breakFiles(String part) {
        files.handles().stream().filter(path -> path.contains(part)).forEach(path -> {
            world.note(NODE, "breaks", path);
            world.count("files broken unasked");
            files.breakAppends(path, random.nextBoolean() ? Integer.MAX_VALUE : random.nextInt(2_000));
        });
    }

    /** Breaks the medium of a file: appends that are not durable fail, with an unknown outcome. */
    public void breakMedium(String path) {
        world.note(NODE, "breaks", path);
        world.count("appends of unknown outcome");
        files.breakAppends(path, Integer.MAX_VALUE);
    }

    /** Stops appends to a file from becoming durable, and breaks its medium soon. */
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
            int length = cut == null ? chosen(durable, stored) : cut.applyAsInt(durable, stored);
            world.count("seals");
            if (length < stored) {
                world.count("seals that cut");
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
        boolean taken = random.nextDouble() < faultRates().taken();
        if (taken && !files.create(path).isCompletedExceptionally()) {
            world.count("paths in use");
            others.add(path);
        }
        return files.create(path);
    }

    CompletableFuture<Long> seal(String path) {
        if (files.exists(path) && !files.isSealed(path) && faultRates().lagging() > 0) {
            looksOpenUntil.put(path, world.now() + random.nextInt(2_000_000_000));
        }
        return files.seal(path);
    }

    /** @param known the length of the file that its reader knows */
    CompletableFuture<ByteString> read(String path, long offset, int length, long known) {
        if (!files.exists(path) || length < 0) {
            return files.read(path, offset, length);
        }
        boolean looksOpen = !files.isSealed(path)
                || (faultRates().lagging() > 0 && world.now() < looksOpenUntil.getOrDefault(path, 0L));
        long durable = files.length(path);
        long shown = looksOpen ? Math.min(durable, Math.max(known, visible(path, durable))) : durable;
        long end = Math.min(shown, offset + length);
        return files.read(path, offset, (int) Math.max(0, end - offset));
    }

    CompletableFuture<Dfs.FileInfo> stat(String path) {
        return files.stat(path);
    }

    CompletableFuture<List<Dfs.FileInfo>> list(String prefix) {
        return files.list(prefix)
                .thenApply(found -> found.stream().map(this::listed).toList());
    }

    private Dfs.FileInfo listed(Dfs.FileInfo file) {
        return file.sealed() ? file : new Dfs.FileInfo(file.path(), visible(file.path(), file.length()), false);
    }

    private long visible(String path, long durable) {
        if (random.nextDouble() >= Math.max(SELDOM, faultRates().lagging())) {
            visible.put(path, durable);
        } else if (faultRates().lagging() > 0 && faultRates().lagging() < 1 && random.nextInt(4) == 0) {
            visible.put(path, (long) (random.nextDouble() * durable)); // The visible length has decreased.
        }
        return visible.getOrDefault(path, 0L);
    }

    @Override
    public long visibleLength(String path) {
        return visible.getOrDefault(path, 0L);
    }

    CompletableFuture<Void> delete(String path, SimProcess by) {
        if (others.contains(path) && !by.node().startsWith("m")) { // A sweep only knows names.
            world.violation(Finding.By.MAP, by.node() + " deletes a file that it did not make: " + path);
        }
        deletes(path);
        world.count("files deleted");
        if (files.exists(path) && !fences.equals(FenceTimes.DEFAULT)) {
            long remembered =
                    bug == Bug.FENCE_FORGOTTEN_AT_ONCE ? 0 : fences.retainNanos() + random.nextInt(500_000_000);
            world.after(remembered, () -> {
                world.count("fences forgotten");
                files.forgetFence(path);
            });
            world.after(
                    fences.retainNanos() + 1_000_000_000L + random.nextInt(2_000_000_000),
                    () -> files.forgetName(path));
        }
        return files.delete(path);
    }
}
