package cleave.master.dfs;

import cleave.dfs.ClusterFile;
import cleave.dfs.Dfs;
import cleave.dfs.DfsIdentityFile;
import cleave.master.policy.HighWater;
import cleave.master.policy.Sweep;
import cleave.master.sweep.SweepFiles;
import cleave.model.ClusterIdentity;
import cleave.model.DfsIdentity;
import cleave.model.Fence;
import cleave.model.manifest.Manifest;
import cleave.model.manifest.ManifestCodec;
import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** The files of ranges in the DFS, and how far the map has come. Called from the master loop. A damaged manifest fails as an unreadable one does. */
public final class DfsSweepFiles implements SweepFiles {
    private final Dfs dfs;
    private final Supplier<String> names;
    private final HighWaterFile highWater;

    /** @param names gives random UUIDs */
    public DfsSweepFiles(Dfs dfs, Supplier<String> names) {
        this.dfs = dfs;
        this.names = names;
        highWater = new HighWaterFile(dfs, names);
    }

    @Override
    public CompletableFuture<Optional<ClusterIdentity>> identity() {
        return ClusterFile.read(dfs);
    }

    @Override
    public CompletableFuture<Optional<DfsIdentity>> dfs() {
        return DfsIdentityFile.read(dfs)
                .thenCompose(found -> found.isPresent()
                        ? CompletableFuture.completedFuture(found)
                        : dfs.probe().thenCompose(now -> made()));
    }

    /** A full DFS gets no identity: making one would wait for space, and nothing would be swept until then. */
    private CompletableFuture<Optional<DfsIdentity>> made() {
        return dfs.space() == Dfs.Space.FULL
                ? CompletableFuture.completedFuture(Optional.empty())
                : DfsIdentityFile.readOrMake(dfs, names).thenApply(Optional::of);
    }

    @Override
    public CompletableFuture<HighWater> highWater() {
        return highWater.read();
    }

    @Override
    public boolean areShortOfSpace() {
        return dfs.space() != Dfs.Space.ROOMY;
    }

    @Override
    public CompletableFuture<Void> note(HighWater reached) {
        return highWater.note(reached);
    }

    @Override
    public CompletableFuture<List<String>> list() {
        return dfs.listPaths(Sweep.PREFIX)
                .thenCombine(
                        dfs.listPaths(Fence.PREFIX),
                        (ofRanges, fences) -> Stream.concat(ofRanges.stream(), fences.stream())
                                .toList());
    }

    @Override
    public CompletableFuture<List<String>> named(String manifest) {
        return dfs.stat(manifest)
                .thenCompose(info -> dfs.read(manifest, 0, Math.toIntExact(info.length())))
                .thenApply(DfsSweepFiles::paths);
    }

    private static List<String> paths(ByteString bytes) {
        Manifest manifest = ManifestCodec.decode(bytes.toByteArray());
        List<String> paths = new ArrayList<>();
        manifest.checkpoints()
                .forEach(checkpoint -> checkpoint.files().stored().forEach(file -> paths.add(file.path())));
        manifest.logs().forEach(log -> paths.add(log.path()));
        return List.copyOf(paths);
    }

    @Override
    public CompletableFuture<Void> delete(String path) {
        return dfs.delete(path);
    }
}
