package cleave.server.range;

import cleave.dfs.DfsFile;
import cleave.dfs.DfsFile.Purpose;
import cleave.model.FeatureLevels;
import cleave.model.Invariant;
import cleave.model.Row;
import cleave.model.manifest.Manifest;
import cleave.server.outside.Backoffs;
import cleave.server.outside.RangeFiles;
import cleave.server.outside.RangeStore;
import cleave.server.range.RangeState.Event;
import cleave.server.state.LogPosition;
import cleave.wire.CommandReply;
import cleave.wire.PublishRequest;
import cleave.wire.RangeRow;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rolls the commit log and publishes manifests, so that the range's row stays correct. Confined to the range's loop.
 *
 * <p>One cycle: a log is created; a manifest with the checkpoint, if there is a new one, the current log from the checkpoint's position
 * on, and the new log is written and published; then the range drains the current log, goes on in the new one, and seals the one that it
 * left. {@link RangeState} says when another cycle begins. The log rolls for a checkpoint, for one that failed, to end the doubt about a
 * commit, and when it holds many barriers.
 *
 * <p>A publish is repeated until its outcome is known. A row that has changed by anything but this publish means that
 * this server no longer owns the range. While no master answers, the log just grows.
 *
 * <p>Invariant I9: a manifest names only files of the manifest before it and files created under this epoch. A file is
 * deleted only if this incarnation created it under this epoch and a publish without it was accepted. It must have seen
 * the creation succeed, because a file that existed already is another's.
 */
final class Publisher {
    private static final Logger LOG = LoggerFactory.getLogger(Publisher.class);

    private final Range.Outside outside;
    private final RangeFiles files;
    private final ManifestFiles manifests;
    private final CommitLog log;
    private final Committer committer;
    private final Checkpoints checkpoints;
    private final StateMachine machine;
    private final TreeSet<String> made = new TreeSet<>();
    private final TreeSet<String> unused = new TreeSet<>();
    /** The sealed lengths of logs of the manifest, as far as they are known. */
    private final TreeMap<String, Long> sealed = new TreeMap<>();

    private Row row;
    private Manifest manifest;
    /** The next log, until it is published. */
    private @Nullable DfsFile created;

    private int failures;

    /** A publication: the log that was created for it and the manifest that names it. */
    private record Draft(
            DfsFile log, Manifest manifest, String path, RangeStore.@Nullable StoredCheckpoint checkpoint) {}

    Publisher(
            Range.Outside outside,
            Opened opened,
            RangeFiles files,
            CommitLog log,
            Committer committer,
            Checkpoints checkpoints,
            StateMachine machine) {
        this.outside = outside;
        this.files = files;
        this.manifests = new ManifestFiles(outside.dfs());
        this.log = log;
        this.committer = committer;
        this.checkpoints = checkpoints;
        this.machine = machine;
        this.row = opened.row();
        this.manifest = opened.manifest();
        made.addAll(opened.made());
        sealed.putAll(opened.sealed());
    }

    /** The last published row. */
    Row row() {
        return row;
    }

    /** That the row names. */
    Manifest manifest() {
        return manifest;
    }

    /** True of the files of the published manifest, and of itself. */
    boolean names(String path) {
        return named(String.valueOf(row.manifest()), manifest).contains(path);
    }

    /** Creates the next log, and publishes a manifest that names it. */
    void createLog() {
        outside.loop().assertInside();
        String path = files.next("log");
        outside.loop().whenDone(outside.dfs().create(path), (log, failure) -> {
            if (log == null) {
                later("create a commit log", failure, this::createLog);
            } else if (machine.isClosed()) {
                log.close();
            } else {
                made.add(path);
                created = log;
                machine.on(Event.LOG_CREATED);
                writeManifest(log);
            }
        });
    }

    private void writeManifest(DfsFile log) {
        RangeStore.StoredCheckpoint stored = checkpoints.ready();
        if (stored != null) {
            stored.files().stored().forEach(file -> made.add(file.path()));
        }
        Manifest next = next(log.path(), stored);
        String path = files.next("manifest");
        outside.loop().whenDone(outside.dfs().create(path), (file, failure) -> {
            if (file == null) {
                later("create a manifest", failure, () -> writeManifest(log));
            } else if (machine.isClosed()) {
                file.close();
            } else {
                made.add(path);
                writeManifest(file, new Draft(log, next, path, stored));
            }
        });
    }

    /** Whatever began the roll: if the log breaks meanwhile, reads wait for this manifest. */
    private void writeManifest(DfsFile file, Draft draft) {
        outside.loop().whenDone(manifests.write(file, draft.manifest(), Purpose.SERVING), (nothing, failure) -> {
            if (machine.isClosed()) {
                return;
            }
            if (failure != null) {
                later("write a manifest", failure, () -> writeManifest(draft.log()));
            } else {
                machine.on(Event.MANIFEST_WRITTEN);
                publish(draft);
            }
        });
    }

    private Manifest next(String nextLog, RangeStore.@Nullable StoredCheckpoint stored) {
        LogPosition ended = log.ended();
        if (ended != null) {
            sealed.put(ended.path(), ended.offset());
        }
        List<Manifest.Log> logs =
                new ArrayList<>(stored == null ? manifest.logs() : logsFrom(manifest.logs(), stored.position()));
        // Nothing in them is left to replay: of a range that is only read, all logs but the current one.
        logs.removeIf(named -> named.offset() == sealed.getOrDefault(named.path(), -1L));
        // The last log of the manifest is the one appended to, unless it failed before it was reached: it holds nothing
        // then.
        logs.removeIf(named -> unused.contains(named.path()));
        logs.add(new Manifest.Log(nextLog, row.range(), 0, LogPosition.FIRST_SEQUENCE));
        return new Manifest(
                row.id(),
                row.epoch(),
                stored == null
                        ? manifest.checkpoints()
                        : List.of(new Manifest.Checkpoint(row.range(), readable(stored.files()))),
                logs,
                committer.highestTimestamp(),
                committer.dropped());
    }

    /** Earlier versions cannot read what has checksums. */
    private Manifest.FileSet readable(Manifest.FileSet files) {
        return outside.level().permits(FeatureLevels.FILE_CHECKSUMS) ? files : files.withoutChecksums();
    }

    /** Drops a published log that failed before anything was appended to it. */
    void neverUsed(String log) {
        unused.add(log);
    }

    /** The logs that must be replayed on top of a checkpoint that contains them up to a position. */
    private static List<Manifest.Log> logsFrom(List<Manifest.Log> logs, @Nullable LogPosition position) {
        for (int i = 0; position != null && i < logs.size(); i++) {
            Manifest.Log log = logs.get(i);
            if (log.path().equals(position.path())) {
                List<Manifest.Log> from = new ArrayList<>(logs.subList(i, logs.size()));
                from.set(0, new Manifest.Log(log.path(), log.interval(), position.offset(), position.sequence()));
                return from;
            }
        }
        return logs; // The checkpoint is older than all of them, or of a log of which nothing was left.
    }

    private void publish(Draft draft) {
        PublishRequest request = PublishRequest.newBuilder()
                .setIncarnation(outside.self().toWire())
                .setRange(row.id())
                .setVersion(row.version())
                .setManifest(draft.path())
                .build();
        outside.loop().whenDone(outside.masters().publish(request), (reply, failure) -> {
            if (!machine.isClosed()) {
                published(draft, reply, failure);
            }
        });
    }

    private void published(Draft draft, @Nullable CommandReply reply, @Nullable Throwable failure) {
        if (reply == null) {
            later("publish", failure, () -> publish(draft));
            return;
        }
        switch (reply.getStatus().getCode()) {
            case OK, STALE_VERSION -> {
                Row now = find(reply);
                if (now != null && isMine(now) && draft.path().equals(now.manifest())) {
                    accepted(draft, now);
                } else {
                    machine.on(Event.CLOSE, "the row has moved: " + (now == null ? "gone" : now));
                }
            }
            case DEAD_INCARNATION -> machine.on(Event.DEAD, reply.getStatus().getMessage());
            case NOT_FOUND, NOT_OWNER, INVALID ->
                machine.on(Event.CLOSE, reply.getStatus().getMessage());
            default ->
                later("publish", new IllegalStateException(reply.getStatus().toString()), () -> publish(draft));
        }
    }

    private @Nullable Row find(CommandReply reply) {
        for (RangeRow wire : reply.getRowsList()) {
            if (wire.getId() == row.id()) {
                return Row.fromWire(wire);
            }
        }
        return null;
    }

    private boolean isMine(Row now) {
        return outside.self().equals(now.owner()) && now.epoch() == row.epoch();
    }

    private void accepted(Draft done, Row now) {
        Invariant.check(now.range().equals(row.range()), "%s changed its bounds within an epoch: %s", row, now);
        failures = 0;
        row = now;
        manifest = done.manifest();
        created = null;
        unused.clear();
        sealed.keySet()
                .retainAll(manifest.logs().stream().map(Manifest.Log::path).toList());
        checkpoints.named(manifest.logs().size());
        if (done.checkpoint() != null) {
            checkpoints.published(
                    done.checkpoint().position(), new LogPosition(log.path(), log.length(), log.sequence()));
        }
        outside.metrics().publishes.inc();
        deleteUnnamed(done.path());
        log.published(done.log());
        machine.on(Event.PUBLISHED);
    }

    private void deleteUnnamed(String manifestPath) {
        Set<String> named = named(manifestPath, manifest);
        for (String path : List.copyOf(made)) {
            if (!named.contains(path) && files.made(path)) {
                outside.loop().whenDone(outside.dfs().delete(path), (nothing, failure) -> {
                    if (failure == null) {
                        made.remove(path);
                    } // Otherwise it is retried after the next publish.
                });
            }
        }
    }

    private static Set<String> named(String path, Manifest manifest) {
        TreeSet<String> named = new TreeSet<>();
        named.add(path);
        manifest.logs().forEach(log -> named.add(log.path()));
        manifest.checkpoints().forEach(each -> each.files().stored().forEach(file -> named.add(file.path())));
        return named;
    }

    private void later(String what, @Nullable Throwable failure, Runnable again) {
        failures++;
        LOG.info(
                "put off range={} what={} failures={} reason={}",
                Row.idText(row.id()),
                what,
                failures,
                String.valueOf(failure));
        outside.loop().schedule(Backoffs.CALLS.nanos(failures), () -> {
            if (!machine.isClosed()) {
                again.run();
            }
        });
    }

    void close() {
        outside.loop().assertInside();
        if (created != null) {
            created.close();
        }
    }
}
