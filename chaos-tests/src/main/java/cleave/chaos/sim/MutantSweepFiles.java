package cleave.chaos.sim;

import cleave.master.loop.SweepFiles;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;

/** A master's way to what it sweeps, counted, with a bug planted on it. Confined to the simulation. */
final class MutantSweepFiles implements SweepFiles {
    private final World world;
    private final SweepFiles files;
    private final Bug bug;
    private final TreeSet<String> reached = new TreeSet<>();

    MutantSweepFiles(World world, SweepFiles files, Bug bug) {
        this.world = world;
        this.files = files;
        this.bug = bug;
    }

    @Override
    public CompletableFuture<List<String>> named(String manifest) {
        return files.named(manifest).thenApply(paths -> {
            reached.add(manifest);
            reached.addAll(paths);
            return paths;
        });
    }

    @Override
    public CompletableFuture<List<String>> list() {
        return files.list().thenApply(paths -> {
            world.trace().count("sweeps");
            if (bug == Bug.PREPARED_FILE_SWEPT) {
                paths.stream().filter(path -> !reached.contains(path)).forEach(files::delete);
            }
            return paths;
        });
    }

    @Override
    public CompletableFuture<Void> delete(String path) {
        return files.delete(path).thenRun(() -> world.trace().count("files swept"));
    }
}
