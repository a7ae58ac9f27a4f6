package cleave.server.loop;

import cleave.dfs.DfsFile;
import cleave.model.Damaged;
import cleave.model.DroppedTables;
import cleave.model.KeyRange;
import cleave.model.Manifest;
import cleave.model.Row;
import cleave.server.policy.Backoff;
import cleave.server.state.Effect;
import cleave.server.state.LogPosition;
import cleave.server.state.LogRecord;
import cleave.wire.CommandReply;
import cleave.wire.HandoffRequest;
import cleave.wire.HandoffSource;
import cleave.wire.HandoffTarget;
import cleave.wire.PublishRequest;
import cleave.wire.RangeRow;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One attempt to open a range that a master ordered this server to open: a new one, one whose owner is dead, or one that it owns
 * already since a split. Confined to the range's loop.
 *
 * <p>One procedure: seal every log that the manifest names, fetch the checkpoint, replay the logs to exactly their sealed lengths,
 * create a log, write a manifest, commit. The commit is a publish if this incarnation owns the row, else a handoff. Until it has
 * succeeded nothing is answered. If the row has moved the attempt ends; the next one begins with the next order.
 *
 * <p>Invariant I2: the seals come first, and only upon an order, which a master gives only after the owner was declared dead; so
 * whatever the old owner had acknowledged is replayed, and nothing it does later counts. The commit is refused if the row was
 * published since it was read, for then it names a log that was not sealed here.
 */
final class Opening {
    private static final Logger LOG = LoggerFactory.getLogger(Opening.class);

    private final Ingredients with;
    private final Row order;
    private final RangeFiles files;
    private final ManifestFiles manifests;
    private final CompletableFuture<Opened> done = new CompletableFuture<>();
    private final List<String> made = new ArrayList<>();
    private @Nullable RangeStore store;
    private @Nullable DfsFile log;
    private long highestTimestamp;
    private DroppedTables dropped = DroppedTables.NONE;
    private long replayed;
    private boolean mayBeCommitted;

    Opening(Ingredients with, Row order) {
        this.with = with;
        this.order = order;
        this.files = with.files(order.id(), order.epoch());
        this.manifests = new ManifestFiles(with.dfs());
    }

    /** Why an attempt ended without a range. */
    static final class Failed extends RuntimeException {
        private static final long serialVersionUID = 1;

        Failed(String reason) {
            super(reason);
        }
    }

    /** The master says that this incarnation is dead. */
    static final class DeadIncarnation extends RuntimeException {
        private static final long serialVersionUID = 1;

        DeadIncarnation(String reason) {
            super(reason);
        }
    }

    /** The row as it was ordered. */
    Row order() {
        return order;
    }

    /** Completes inside the loop. */
    CompletableFuture<Opened> run() {
        with.loop().assertInside();
        String path = order.manifest();
        if (path == null) {
            fetch(new Manifest(order.id(), order.epoch(), List.of(), List.of(), 0, DroppedTables.NONE));
        } else {
            then(manifests.read(path), manifest -> fetch(narrowed(manifest, order.range())));
        }
        return done;
    }

    /** Gives up, unless it has ended. On any thread. */
    void cancel() {
        with.loop().submit(() -> fail(new Failed("given up")));
    }

    /** What of a manifest counts within an interval. */
    static Manifest narrowed(Manifest manifest, KeyRange interval) {
        List<Manifest.Checkpoint> checkpoints = new ArrayList<>();
        for (Manifest.Checkpoint each : manifest.checkpoints()) {
            KeyRange common = each.interval().intersection(interval);
            if (common != null) {
                checkpoints.add(new Manifest.Checkpoint(common, each.files()));
            }
        }
        List<Manifest.Log> logs = new ArrayList<>();
        for (Manifest.Log each : manifest.logs()) {
            KeyRange common = each.interval().intersection(interval);
            if (common != null) {
                logs.add(new Manifest.Log(each.path(), common, each.offset(), each.sequence()));
            }
        }
        return new Manifest(
                manifest.range(), manifest.epoch(), checkpoints, logs, manifest.highestTimestamp(), manifest.dropped());
    }

    private void fetch(Manifest manifest) {
        Set<String> paths = new HashSet<>();
        if (manifest.checkpoints().size() > 1 || !manifest.logs().stream().allMatch(each -> paths.add(each.path()))) {
            fail(new Failed("the manifest joins several ranges, which takes a merge: " + order.manifest()));
            return;
        }
        highestTimestamp = manifest.highestTimestamp();
        dropped = manifest.dropped();
        CompletableFuture<RangeStore> opening = with.stores()
                .open(
                        order.range(),
                        manifest.checkpoints().isEmpty()
                                ? null
                                : manifest.checkpoints().get(0));
        // However the attempt ends, a store that was opened is closed again.
        Hop.back(with.loop(), opening, (opened, failure) -> {
            if (opened != null) {
                store = opened;
                if (done.isDone()) {
                    opened.close();
                }
            }
        });
        then(sealAll(manifest), lengths -> then(opening, opened -> replay(manifest, lengths, 0, opened)));
    }

    private CompletableFuture<Map<String, Long>> sealAll(Manifest manifest) {
        CompletableFuture<Map<String, Long>> all = CompletableFuture.completedFuture(Map.of());
        for (Manifest.Log each : manifest.logs()) {
            all = all.thenCombine(with.dfs().seal(each.path()), (lengths, length) -> {
                Map<String, Long> more = new TreeMap<>(lengths);
                more.put(each.path(), length);
                return more;
            });
        }
        return all;
    }

    private void replay(Manifest manifest, Map<String, Long> lengths, int index, RangeStore into) {
        if (index == manifest.logs().size()) {
            createLog(manifest);
            return;
        }
        Manifest.Log each = manifest.logs().get(index);
        Long sealedLength = lengths.get(each.path());
        if (sealedLength == null) {
            throw new AssertionError("no sealed length of " + each.path());
        }
        LogReplay replay = new LogReplay(
                with.loop(), with.dfs(), each, sealedLength, (record, behind) -> apply(record, behind, each, into));
        then(replay.run(), bytes -> {
            replayed += bytes;
            replay(manifest, lengths, index + 1, into);
        });
    }

    private void apply(LogRecord record, LogPosition behind, Manifest.Log from, RangeStore into) {
        highestTimestamp = Math.max(highestTimestamp, record.highestTimestamp());
        List<Effect> effects = new ArrayList<>(record.effects().size());
        for (Effect effect : record.effects()) {
            if (effect instanceof Effect.DropTable drop) {
                dropped = dropped.plus(drop.table());
                effects.add(drop);
            } else if (counts(effect, from.interval())) {
                effects.add(effect);
            }
        }
        if (!done.isDone()) {
            into.apply(effects, behind);
        }
    }

    /** What lies outside of the interval or belongs to a dropped table does not exist. */
    private boolean counts(Effect effect, KeyRange interval) {
        return !dropped.contains(effect.table())
                && ((effect instanceof Effect.Put put && interval.contains(put.key()))
                        || (effect instanceof Effect.Delete delete && interval.contains(delete.key())));
    }

    private void createLog(Manifest manifest) {
        String path = files.next("log");
        CompletableFuture<DfsFile> creating = with.dfs().create(path);
        Hop.back(with.loop(), creating, (created, failure) -> {
            if (created != null && done.isDone()) {
                created.close();
            }
        });
        then(creating, created -> {
            made.add(path);
            log = created;
            List<Manifest.Log> logs = new ArrayList<>(manifest.logs());
            logs.add(new Manifest.Log(path, order.range(), 0, LogPosition.FIRST_SEQUENCE));
            Manifest next =
                    new Manifest(order.id(), order.epoch(), manifest.checkpoints(), logs, highestTimestamp, dropped);
            String manifestPath = files.next("manifest");
            made.add(manifestPath);
            then(manifests.write(manifestPath, next), nothing -> commit(next, manifestPath, created, 0));
        });
    }

    private void commit(Manifest manifest, String path, DfsFile created, int failures) {
        if (done.isDone()) {
            return;
        }
        mayBeCommitted = true;
        CompletableFuture<CommandReply> answer = with.self().equals(order.owner())
                ? with.masters().publish(publish(path))
                : with.masters().commitHandoff(handoff(path));
        Hop.back(with.loop(), answer, (reply, failure) -> {
            if (done.isDone()) {
                return;
            }
            if (reply == null) {
                commitLater(manifest, path, created, failures + 1, String.valueOf(failure));
                return;
            }
            switch (reply.getStatus().getCode()) {
                case OK, STALE_VERSION -> committed(reply, manifest, path, created);
                case DEAD_INCARNATION ->
                    // Says nothing about an earlier sending, which may have been executed: the row may name what was
                    // made.
                    fail(new DeadIncarnation(reply.getStatus().getMessage()));
                case NOT_LEADER, UNAVAILABLE, BUSY, UNKNOWN_OUTCOME ->
                    commitLater(
                            manifest,
                            path,
                            created,
                            failures + 1,
                            reply.getStatus().toString());
                default -> refused(new Failed("the commit was refused: " + reply.getStatus()));
            }
        });
    }

    /** Only an answer tells how a commit ended, so it is sent until there is one. */
    private void commitLater(Manifest manifest, String path, DfsFile created, int failures, String reason) {
        LOG.info("commit put off range={} failures={} reason={}", Row.idText(order.id()), failures, reason);
        with.loop().schedule(Backoff.CALLS.delayNanos(failures), () -> commit(manifest, path, created, failures));
    }

    private PublishRequest publish(String path) {
        return PublishRequest.newBuilder()
                .setIncarnation(with.self().toWire())
                .setRange(order.id())
                .setVersion(order.version())
                .setManifest(path)
                .build();
    }

    private HandoffRequest handoff(String path) {
        return HandoffRequest.newBuilder()
                .setBy(with.self().toWire())
                .addSources(HandoffSource.newBuilder().setRange(order.id()).setVersion(order.version()))
                .addTargets(HandoffTarget.newBuilder()
                        .setStart(order.range().startToWire())
                        .setEnd(order.range().endToWire())
                        .setOwner(with.self().toWire())
                        .setManifest(path))
                .build();
    }

    private void committed(CommandReply reply, Manifest manifest, String path, DfsFile created) {
        for (RangeRow wire : reply.getRowsList()) {
            Row row = Row.fromWire(wire);
            RangeStore opened = store;
            if (with.self().equals(row.owner()) && path.equals(row.manifest()) && opened != null) {
                done.complete(new Opened(
                        row, manifest, opened, created, highestTimestamp, dropped, replayed, List.copyOf(made)));
                return;
            }
        }
        refused(new Failed("the row has moved: " + reply.getStatus()));
    }

    private void refused(RuntimeException why) {
        mayBeCommitted = false;
        fail(why);
    }

    private <T> void then(CompletableFuture<T> step, java.util.function.Consumer<T> next) {
        Hop.back(with.loop(), step, (result, failure) -> {
            if (done.isDone()) {
                return;
            }
            if (failure != null) {
                fail(failure);
            } else {
                next.accept(result);
            }
        });
    }

    private void fail(Throwable why) {
        if (!done.completeExceptionally(why)) {
            return;
        }
        if (log != null) {
            log.close();
        }
        if (store != null) {
            store.close();
        }
        if (why instanceof Damaged) {
            LOG.error("range cannot be opened, its data is damaged range={} reason={}", order, why.getMessage());
        }
        if (!mayBeCommitted) {
            // No row can ever name what was made for this attempt.
            made.forEach(path -> with.dfs().delete(path));
        }
    }
}
