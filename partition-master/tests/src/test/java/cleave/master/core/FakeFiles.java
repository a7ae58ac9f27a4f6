package cleave.master.core;

import cleave.master.policy.HighWater;
import cleave.master.sweep.SweepFiles;
import cleave.model.ClusterId;
import cleave.model.ClusterIdentity;
import cleave.model.DfsIdentity;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The files of ranges, in memory: manifests, and what they name. Confined to one test. */
public final class FakeFiles implements SweepFiles {
    public static final String DFS = "dddddddd-2222-3333-4444-555555555555";

    /** Null if it has none, and no space for one. */
    public @Nullable DfsIdentity dfs = DfsIdentity.of(DFS);

    private final TreeMap<String, List<String>> files = new TreeMap<>();
    private Optional<ClusterIdentity> identity =
            Optional.of(new ClusterIdentity(new ClusterId(SharedLog.CLUSTER), "m1"));
    public HighWater noted = HighWater.NONE;
    public boolean shortOfSpace;
    private final List<CompletableFuture<List<String>>> heldLists = new ArrayList<>();
    private boolean areListsHeld;
    private Runnable beforeList = () -> {};

    /** A file; a manifest names others. */
    public void put(String path, String... names) {
        files.put(path, List.of(names));
    }

    public List<String> paths() {
        return List.copyOf(files.keySet());
    }

    /** Runs when files are listed next. */
    public void beforeList(Runnable action) {
        beforeList = action;
    }

    /** Whose the files are; null for nobody's. */
    public void belongTo(@Nullable String cluster) {
        identity = cluster == null ? Optional.empty() : Optional.of(new ClusterIdentity(new ClusterId(cluster), "m1"));
    }

    @Override
    public CompletableFuture<Optional<ClusterIdentity>> identity() {
        return CompletableFuture.completedFuture(identity);
    }

    @Override
    public CompletableFuture<Optional<DfsIdentity>> dfs() {
        return CompletableFuture.completedFuture(Optional.ofNullable(dfs));
    }

    @Override
    public CompletableFuture<HighWater> highWater() {
        return CompletableFuture.completedFuture(noted);
    }

    @Override
    public boolean areShortOfSpace() {
        return shortOfSpace;
    }

    @Override
    public CompletableFuture<Void> note(HighWater reached) {
        noted = reached;
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletableFuture<List<String>> list() {
        beforeList.run();
        if (!areListsHeld) {
            return CompletableFuture.completedFuture(paths());
        }
        CompletableFuture<List<String>> held = new CompletableFuture<>();
        heldLists.add(held);
        return held;
    }

    /** Lists are answered when they are released. */
    public void holdLists() {
        areListsHeld = true;
    }

    public int listsHeld() {
        return heldLists.size();
    }

    public void releaseLists() {
        areListsHeld = false;
        heldLists.forEach(held -> held.complete(paths()));
        heldLists.clear();
    }

    @Override
    public CompletableFuture<List<String>> named(String manifest) {
        List<String> names = files.get(manifest);
        return names == null
                ? CompletableFuture.failedFuture(new IllegalStateException("NOT_FOUND " + manifest))
                : CompletableFuture.completedFuture(names);
    }

    @Override
    public CompletableFuture<Void> delete(String path) {
        files.remove(path);
        return CompletableFuture.completedFuture(null);
    }
}
