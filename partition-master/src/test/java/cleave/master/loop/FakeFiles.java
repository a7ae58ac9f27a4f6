package cleave.master.loop;

import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/** The files of ranges, in memory: manifests, and what they name. Confined to one test. */
final class FakeFiles implements SweepFiles {
    private final TreeMap<String, List<String>> files = new TreeMap<>();
    private Runnable beforeList = () -> {};

    /** A file; a manifest names others. */
    void put(String path, String... names) {
        files.put(path, List.of(names));
    }

    List<String> paths() {
        return List.copyOf(files.keySet());
    }

    /** Runs when manifests have been read and files are listed next. */
    void beforeList(Runnable action) {
        beforeList = action;
    }

    @Override
    public CompletableFuture<List<String>> list() {
        beforeList.run();
        return CompletableFuture.completedFuture(paths());
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
