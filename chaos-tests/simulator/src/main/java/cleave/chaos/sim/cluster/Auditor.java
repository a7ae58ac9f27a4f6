package cleave.chaos.sim.cluster;

import cleave.chaos.sim.world.Finding;
import cleave.chaos.sim.world.SimMedium;
import cleave.chaos.sim.world.World;
import cleave.master.state.MasterState;
import cleave.model.FeatureLevels;
import cleave.model.Key;
import cleave.model.Row;
import cleave.model.manifest.Manifest;
import cleave.model.manifest.ManifestCodec;
import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Checks the map from outside after each command: invariants I1 (the ranges tile the key space), I4 (epochs and
 * versions grow) and I9 (what the map references exists); and that manifests are of formats that the cluster's level
 * permits.
 */
public final class Auditor {
    private final World world;
    private final TreeMap<String, Set<String>> reachedFrom = new TreeMap<>();
    private final TreeMap<Long, Row> rows = new TreeMap<>();
    private final List<String> manifests = new ArrayList<>();
    private final TreeSet<String> logs = new TreeSet<>();
    private final TreeSet<String> lives = new TreeSet<>();
    private final Set<String> unjudged = new TreeSet<>();
    private Set<String> reachable = new TreeSet<>();
    private SimMedium dfs;
    private long version;
    private int level;

    public Auditor(World world, SimMedium dfs) {
        this.world = world;
        this.dfs = dfs;
        dfs.onDelete(this::deleting);
        dfs.onReturn(this::returned);
    }

    /** From now on, this copy of the DFS must have all that the map references. */
    public void follow(SimMedium copy) {
        dfs.onDelete(path -> {});
        dfs = copy;
        dfs.onDelete(this::deleting);
        returned();
    }

    /** Files that the newest map references. */
    public Set<String> reachable() {
        return reachable;
    }

    public void look(MasterState state) {
        if (state.mapVersion() == version) {
            return;
        }
        version = state.mapVersion();
        level = state.level();
        judgeTiling(state);
        judgeHandoff(state);
        manifests.clear();
        for (Row row : state.rows().all()) {
            Row before = rows.put(row.id(), row);
            judgeGrowth(before, row);
            String manifest = row.manifest();
            if (manifest != null) {
                manifests.add(manifest);
                if (before == null || before.version() != row.version()) {
                    unjudged.add(manifest);
                }
            }
        }
        if (dfs.isVisible()) {
            reach();
        }
    }

    private void reach() {
        TreeSet<String> reached = new TreeSet<>();
        for (String manifest : manifests) {
            Set<String> files = reachedFrom.computeIfAbsent(manifest, this::read);
            if (unjudged.contains(manifest)) {
                judgePresence(manifest, files);
            }
            reached.addAll(files);
        }
        unjudged.clear();
        reachable = reached;
    }

    /** Checks that earlier files still exist. */
    private void returned() {
        reachedFrom.clear();
        unjudged.addAll(manifests);
        reach();
    }

    private void judgeTiling(MasterState state) {
        Key at = Key.MIN;
        for (Row row : state.rows().all()) {
            if (at == null || !row.range().start().equals(at)) {
                world.violation(Finding.By.MAP, "I1: the map has a gap or overlap at " + row);
            }
            at = row.range().end();
        }
        if (at != null && !state.rows().isEmpty()) {
            world.violation(Finding.By.MAP, "I1: the map ends at " + at);
        }
    }

    /** A new owner must be alive. */
    private void judgeHandoff(MasterState state) {
        List<Row> targets = new ArrayList<>();
        for (Row row : state.rows().all()) {
            Row before = rows.get(row.id());
            if (row.owner() != null && (before == null || before.epoch() < row.epoch())) {
                targets.add(row);
                if (!state.isLive(row.owner())) {
                    world.violation(Finding.By.MAP, "the map gives a range to one who does not live: " + row);
                }
            }
        }
        List<Row> sources = rows.values().stream()
                .filter(row -> !row.equals(state.rows().row(row.id()))
                        && targets.stream().anyMatch(target -> target.range().overlaps(row.range())))
                .toList();
        if (!targets.isEmpty()) {
            world.count(use(state, sources, targets));
        }
        rows.keySet().removeIf(id -> state.rows().row(id) == null);
    }

    private static String use(MasterState state, List<Row> sources, List<Row> targets) {
        if (targets.size() > 1) {
            return "splits";
        }
        if (sources.size() > 1) {
            return "merges";
        }
        return !sources.isEmpty() && state.isLive(sources.get(0).owner()) ? "moves" : "takeovers";
    }

    private void judgeGrowth(@Nullable Row before, Row row) {
        if (before == null || before.equals(row)) {
            return;
        }
        boolean grew = row.version() > before.version()
                && row.epoch() >= before.epoch()
                && (row.epoch() > before.epoch() || java.util.Objects.equals(row.owner(), before.owner()));
        if (!grew) {
            world.violation(Finding.By.MAP, "I4: the row " + before + " became " + row);
        }
        if (row.epoch() == before.epoch()) {
            world.count("publishes");
        }
        world.note("map", "has", row.toString());
    }

    private Set<String> read(String path) {
        TreeSet<String> reached = new TreeSet<>();
        @Nullable ByteString bytes = dfs.peek(path);
        if (bytes == null || !dfs.isSealed(path)) {
            world.violation(
                    Finding.By.MAP, "I9: the map names the manifest " + path + ", which is not there or not sealed");
            return reached;
        }
        reached.add(path);
        Manifest manifest = ManifestCodec.decode(bytes.toByteArray());
        manifest.logs().forEach(log -> reached.add(log.path()));
        manifest.logs().forEach(log -> countRoll(log.path()));
        manifest.checkpoints().forEach(each -> each.files().stored().forEach(file -> reached.add(file.path())));
        judgeFormat(
                path,
                "inline files",
                FeatureLevels.INLINE_FILES,
                manifest.checkpoints().stream()
                        .anyMatch(each -> !each.files().inline().isEmpty()));
        judgeFormat(
                path,
                "checksums",
                FeatureLevels.FILE_CHECKSUMS,
                manifest.checkpoints().stream()
                        .flatMap(each -> each.files().stored().stream())
                        .anyMatch(file -> file.checksum() != null));
        return reached;
    }

    private void judgeFormat(String manifest, String what, int itsLevel, boolean isThere) {
        if (isThere) {
            world.count("manifests with " + what);
        }
        if (isThere && level < itsLevel) {
            world.violation(
                    Finding.By.MAP,
                    "the manifest " + manifest + " has " + what + ", but the cluster is at level " + level);
        }
    }

    /** Checked whenever a row names a manifest, because a late command may name an old one again. */
    private void judgePresence(String manifest, Set<String> files) {
        for (String file : files) {
            if (!dfs.exists(file)) {
                world.violation(
                        Finding.By.MAP, "I9: the map reaches " + file + " by " + manifest + ", which is not there");
            }
        }
    }

    /** Counts a log roll: a second log of one owner under the same epoch; restored logs do not count. */
    private void countRoll(String log) {
        int life = log.lastIndexOf("log-");
        if (life >= 0 && logs.add(log) && !lives.add(log.substring(0, life))) {
            world.count("log rolls");
        }
    }

    private void deleting(String path) {
        if (reachable.contains(path)) {
            world.violation(Finding.By.MAP, "I9: " + path + " is deleted while the map reaches it");
        }
    }
}
