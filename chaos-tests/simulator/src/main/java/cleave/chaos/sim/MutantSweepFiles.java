package cleave.chaos.sim;

import cleave.master.policy.HighWater;
import cleave.master.policy.Lineage;
import cleave.master.replication.Replication;
import cleave.master.sweep.SweepFiles;
import cleave.model.ClusterIdentity;
import cleave.model.DfsIdentity;
import cleave.model.Row;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** A master's access to the files that it sweeps, counted, with a planted bug. Confined to the simulation. */
final class MutantSweepFiles implements SweepFiles {
    private final World world;
    private final SweepFiles files;
    private final Replication masters;
    private final Bug bug;
    private final Consumer<HighWater> noted;
    private final TreeSet<String> reached = new TreeSet<>();

    MutantSweepFiles(World world, SweepFiles files, Replication masters, Bug bug, Consumer<HighWater> noted) {
        this.world = world;
        this.files = files;
        this.masters = masters;
        this.noted = noted;
        this.bug = bug;
    }

    @Override
    public boolean areShortOfSpace() {
        return files.areShortOfSpace();
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
            if (bug == Bug.OUTDATED_COPY_TAKEN_FOR_THE_DFS) {
                return withManifests(paths);
            }
            return bug == Bug.MAP_TAKEN_FOR_THE_NEWEST
                    ? paths.stream().filter(this::isOfThisMap).toList()
                    : paths;
        });
    }

    private List<String> withManifests(List<String> paths) {
        TreeSet<String> all = new TreeSet<>(paths);
        for (Row row : masters.state().rows().all()) {
            String manifest = row.manifest();
            if (manifest != null) {
                all.add(manifest);
            }
        }
        return List.copyOf(all);
    }

    private boolean isOfThisMap(String path) {
        return Lineage.problem(masters.state(), List.of(path)) == null;
    }

    @Override
    public CompletableFuture<HighWater> highWater() {
        return bug == Bug.MAP_TAKEN_FOR_THE_NEWEST
                ? CompletableFuture.completedFuture(HighWater.NONE)
                : files.highWater();
    }

    @Override
    public CompletableFuture<Void> note(HighWater reached) {
        return files.note(reached).thenRun(() -> noted.accept(reached));
    }

    @Override
    public CompletableFuture<Optional<ClusterIdentity>> identity() {
        return files.identity();
    }

    @Override
    public CompletableFuture<Optional<DfsIdentity>> dfs() {
        String named = masters.state().dfs();
        return files.dfs()
                .thenApply(found -> found.map(dfs -> bug != Bug.DFS_NOT_COMPARED
                                || named.isEmpty()
                                || dfs.origins().contains(named)
                        ? dfs
                        : DfsIdentity.of(named)));
    }

    @Override
    public CompletableFuture<Void> delete(String path) {
        return files.delete(path).thenRun(() -> world.trace().count("files swept"));
    }
}
