package cleave.server.opening;

import cleave.dfs.DfsException;
import cleave.dfs.DfsFile;
import cleave.dfs.DfsFile.Purpose;
import cleave.model.Damaged;
import cleave.model.KeyRange;
import cleave.model.Row;
import cleave.model.UnknownFormat;
import cleave.model.manifest.DroppedTables;
import cleave.model.manifest.Manifest;
import cleave.server.outside.RangeFiles;
import cleave.server.outside.RangeStore;
import cleave.server.outside.StoreException;
import cleave.server.range.ManifestFiles;
import cleave.server.range.Opened;
import cleave.server.range.Range;
import cleave.server.state.Effect;
import cleave.server.state.LogPosition;
import cleave.server.state.LogRecord;
import cleave.wire.SealedLog;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The preparation of a range from the manifests of one or more others: the one procedure behind every opening. Confined
 * to the range's loop.
 *
 * <p>{@link #read} the manifests; {@link #open} a store from their checkpoints, create a log, write a manifest; {@link
 * #follow} the logs if they are still being written; {@link #seal} them, and replay to exactly their sealed lengths.
 * The caller commits, and then takes the result from {@link #opened}: {@link Opening} by order of a master, or the
 * target of a planned handoff.
 *
 * <p>Invariant I2: the range is served only when all logs but its own are sealed; so everything that earlier owners
 * acknowledged is replayed, and nothing that they do later has an effect.
 */
public final class Preparation {
    private static final Logger LOG = LoggerFactory.getLogger(Preparation.class);

    private final Range.Outside outside;
    private final KeyRange interval;
    private final List<Row> sources;
    private final RangeFiles files;
    private final ManifestFiles manifests;
    private final ReplayTurns turns;
    private final long rank;
    /**
     * Files whose creation this process saw succeed. One of unknown outcome may be another's, and is left to the sweep.
     */
    private final List<String> made = new ArrayList<>();

    /** In the order in which they were written; of several sources, one source after the other. */
    private final List<LogReplay> replays = new ArrayList<>();
    /** The logs that their sources still write. */
    private final Set<String> open = new TreeSet<>();

    private final Map<String, Long> lengths = new TreeMap<>();
    private final List<Manifest> read = new ArrayList<>();
    private CompletableFuture<Void> opening = new CompletableFuture<>();
    private @Nullable RangeStore store;
    private @Nullable DfsFile log;
    private @Nullable Manifest manifest;
    private String manifestPath = "";
    private long highestTimestamp;
    private DroppedTables dropped = DroppedTables.NONE;
    private long replayed;
    private final AtomicLong progress = new AtomicLong();
    private ReplayTurns.@Nullable Turn turn;
    private boolean ended;
    private boolean wiped;

    /**
     * Sealed logs are replayed in its turn.
     *
     * @param sources rows that must not change until the commit; together they cover the interval
     * @param rank among those that wait for their turns
     */
    public Preparation(Range.Outside outside, KeyRange interval, List<Row> sources, ReplayTurns turns, long rank) {
        this.outside = outside;
        this.interval = interval;
        this.sources = sources;
        this.turns = turns;
        this.rank = rank;
        this.files = outside.files(sources.get(0).id(), sources.get(0).epoch());
        this.manifests = new ManifestFiles(outside.dfs());
    }

    /** The part of a manifest that is valid within an interval. */
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

    /** Reads the sources' manifests. */
    public CompletableFuture<Void> read() {
        outside.loop().assertInside();
        List<CompletableFuture<Void>> reading = new ArrayList<>();
        TreeMap<Integer, Manifest> found = new TreeMap<>();
        for (int i = 0; i < sources.size(); i++) {
            int index = i;
            reading.add(step(manifestOf(sources.get(i)), manifest -> found.put(index, manifest)));
        }
        return CompletableFuture.allOf(reading.toArray(CompletableFuture<?>[]::new))
                .thenAccept(nothing ->
                        found.forEach((index, manifest) -> take(narrowed(manifest, common(sources.get(index))))));
    }

    private CompletableFuture<Manifest> manifestOf(Row source) {
        String path = source.manifest();
        return path != null
                ? manifests.read(path)
                : CompletableFuture.completedFuture(
                        new Manifest(source.id(), source.epoch(), List.of(), List.of(), 0, DroppedTables.NONE));
    }

    private KeyRange common(Row source) {
        KeyRange common = source.range().intersection(interval);
        if (common == null) {
            throw new AssertionError(source + " holds nothing of " + interval);
        }
        return common;
    }

    private void take(Manifest source) {
        read.add(source);
        highestTimestamp = Math.max(highestTimestamp, source.highestTimestamp());
        dropped = dropped.union(source.dropped());
        for (Manifest.Log each : source.logs()) {
            replays.add(new LogReplay(
                    outside.loop(), outside.dfs(), each, (record, behind) -> apply(record, behind, each.interval())));
        }
        if (!source.logs().isEmpty()) {
            open.add(source.logs().get(source.logs().size() - 1).path());
        }
    }

    /**
     * Opens the store, creates the log and writes the manifest; answers its path.
     *
     * @param purpose of the manifest: whether the range is served without it
     */
    public CompletableFuture<String> open(Purpose purpose) {
        outside.loop().assertInside();
        List<Manifest.Checkpoint> checkpoints = new ArrayList<>();
        read.forEach(each -> checkpoints.addAll(each.checkpoints()));
        CompletableFuture<RangeStore> storing = outside.stores().open(interval, checkpoints, progress::addAndGet);
        // Whatever the result, the store is closed again.
        CompletableFuture<Void> stored = step(
                storing,
                opened -> {
                    store = opened;
                    repeatDrops(opened);
                },
                RangeStore::close);
        CompletableFuture<Void> making = makeFiles(checkpoints, purpose);
        opening = CompletableFuture.allOf(stored, making);
        return opening.thenApply(nothing -> manifestPath);
    }

    /** The union of the sources' dropped tables. */
    private void repeatDrops(RangeStore opened) {
        if (read.stream().allMatch(source -> source.dropped().equals(dropped))) {
            return;
        }
        List<Effect> drops = new ArrayList<>();
        for (DroppedTables.Interval each : dropped.intervals()) {
            for (long table = each.first(); Long.compareUnsigned(table, each.last()) <= 0; table++) {
                long id = table;
                if (!read.stream().allMatch(source -> source.dropped().contains(id))) {
                    drops.add(new Effect.DropTable(id));
                }
                if (table == -1) {
                    break;
                }
            }
        }
        if (!drops.isEmpty()) {
            opened.apply(drops, LogPosition.beginningOf(replays.get(0).log().path()));
        }
    }

    /** The log and the manifest that names it, together: nobody reads the manifest before a row names it. */
    private CompletableFuture<Void> makeFiles(List<Manifest.Checkpoint> checkpoints, Purpose purpose) {
        String path = files.next("log");
        List<Manifest.Log> logs = new ArrayList<>();
        read.forEach(each -> logs.addAll(each.logs()));
        logs.add(new Manifest.Log(path, interval, 0, LogPosition.FIRST_SEQUENCE));
        Row first = sources.get(0);
        Manifest next = new Manifest(first.id(), first.epoch(), checkpoints, logs, highestTimestamp, dropped);
        manifest = next;
        manifestPath = files.next("manifest");
        CompletableFuture<DfsFile> created = new CompletableFuture<>();
        return CompletableFuture.allOf(
                create(path, made -> log = made),
                create(manifestPath, created::complete)
                        .thenCompose(done -> step(
                                created.thenCompose(file -> manifests.write(file, next, purpose)), written -> {})));
    }

    /**
     * A file is deleted here only if it is known to have been created here; one that existed before is in use by
     * another.
     */
    private CompletableFuture<Void> create(String path, Consumer<DfsFile> then) {
        return step(
                outside.dfs().create(path),
                created -> {
                    made.add(path);
                    then.accept(created);
                },
                late -> {
                    late.close();
                    if (wiped) {
                        outside.dfs().delete(path);
                    }
                });
    }

    /**
     * Replays the sources' logs and follows them as they grow. Completes when it has come close to their ends for the
     * first time.
     */
    public CompletableFuture<Void> follow() {
        outside.loop().assertInside();
        List<CompletableFuture<Void>> near = new ArrayList<>();
        return step(opening, nothing -> {})
                .thenCompose(nothing -> lengthsOfEnded())
                .thenCompose(nothing -> replayFrom(0, each -> !open.contains(each.path())))
                .thenCompose(nothing -> {
                    for (LogReplay each : replays) {
                        if (open.contains(each.log().path())) {
                            near.add(each.follow());
                        }
                    }
                    return CompletableFuture.allOf(near.toArray(CompletableFuture<?>[]::new));
                });
    }

    /** All but the last log of a source are sealed, unless its owner has a bug. */
    private CompletableFuture<Void> lengthsOfEnded() {
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (LogReplay each : replays) {
            String path = each.log().path();
            if (!open.contains(path)) {
                all.add(step(outside.dfs().stat(path), found -> {
                    if (!found.sealed()) {
                        throw new DfsException(DfsException.Reason.UNAVAILABLE, path + " is not sealed yet");
                    }
                    lengths.put(path, found.length());
                }));
            }
        }
        return CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new));
    }

    /** Seals every log that is not yet known to be sealed, and replays to the end. */
    public CompletableFuture<Void> seal(List<SealedLog> sealed) {
        outside.loop().assertInside();
        for (SealedLog each : sealed) {
            lengths.putIfAbsent(each.getPath(), each.getLength());
        }
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (String path :
                new TreeSet<>(replays.stream().map(each -> each.log().path()).toList())) {
            if (!lengths.containsKey(path)) {
                all.add(step(outside.dfs().seal(path), length -> lengths.put(path, length)));
            }
        }
        return CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new))
                .thenAccept(nothing -> {
                    turn = turns.early(bytesToReplay());
                    if (turn != null) {
                        readAhead(); // While the store is still being opened.
                    }
                })
                .thenCompose(nothing -> step(opening, opened -> {}))
                .thenCompose(nothing -> inTurn())
                .thenCompose(nothing -> replayFrom(0, each -> true))
                .thenAccept(nothing -> {
                    // From here on, only its own log is replayed on top of a checkpoint, none of the sources'.
                    opened(store)
                            .apply(
                                    List.of(),
                                    LogPosition.beginningOf(opened(log).path()));
                    opened(turn).end();
                });
    }

    private CompletableFuture<Void> inTurn() {
        if (turn == null) {
            turn = turns.ask(rank, bytesToReplay());
        }
        return step(turn.come(), nothing -> readAhead());
    }

    /** The bytes of its logs that are in memory at the same time. */
    private long bytesToReplay() {
        return replays.stream()
                .mapToLong(each -> Math.max(
                        0,
                        Math.min(
                                ReplayTurns.BYTES_OF_ONE,
                                length(each) - each.log().offset())))
                .sum();
    }

    private long length(LogReplay of) {
        Long length = lengths.get(of.log().path());
        if (length == null) {
            throw new AssertionError("no sealed length of " + of.log());
        }
        return length;
    }

    private void readAhead() {
        replays.forEach(each -> each.readAhead(length(each)));
    }

    private CompletableFuture<Void> replayFrom(int index, java.util.function.Predicate<Manifest.Log> which) {
        if (index == replays.size()) {
            return CompletableFuture.completedFuture(null);
        }
        LogReplay replay = replays.get(index);
        if (!which.test(replay.log())) {
            return replayFrom(index + 1, which);
        }
        boolean again = replay.isDone();
        return step(replay.to(length(replay)), bytes -> replayed += again ? 0 : bytes)
                .thenCompose(nothing -> replayFrom(index + 1, which));
    }

    /** Grows with each byte of a checkpoint that has come, each record that was replayed, and each other step. Thread-safe. */
    long progress() {
        return progress.get();
    }

    private void apply(LogRecord record, LogPosition behind, KeyRange counted) {
        progress.incrementAndGet();
        highestTimestamp = Math.max(highestTimestamp, record.highestTimestamp());
        List<Effect> effects = new ArrayList<>(record.effects().size());
        for (Effect effect : record.effects()) {
            if (effect instanceof Effect.DropTable drop) {
                dropped = dropped.plus(drop.table());
                effects.add(drop);
            } else if (counts(effect, counted)) {
                effects.add(effect);
            }
        }
        if (!ended) {
            opened(store).apply(effects, behind);
        }
    }

    /** Entities outside the interval or of a dropped table do not exist. */
    private boolean counts(Effect effect, KeyRange counted) {
        return !dropped.contains(effect.table())
                && ((effect instanceof Effect.Put put && counted.contains(put.key()))
                        || (effect instanceof Effect.Delete delete && counted.contains(delete.key())));
    }

    private static <T> T opened(@Nullable T part) {
        if (part == null) {
            throw new AssertionError("used before it was opened");
        }
        return part;
    }

    /** The opened range, to be served under this committed row. */
    public Opened opened(Row row) {
        outside.loop().assertInside();
        return new Opened(
                row,
                opened(manifest),
                opened(store),
                opened(log),
                highestTimestamp,
                dropped,
                replayed,
                List.copyOf(made),
                Map.copyOf(lengths));
    }

    /** Gives up; {@code wipes} the created files if no row can ever name them. Idempotent. */
    public void end(Throwable why, boolean wipes) {
        outside.loop().assertInside();
        if (ended) {
            return;
        }
        ended = true;
        replays.forEach(LogReplay::stop);
        if (log != null) {
            log.close();
        }
        if (store != null) {
            store.close();
        }
        if (turn != null) {
            turn.end();
        }
        if (why instanceof UnknownFormat) {
            LOG.error("range cannot be opened by this version sources={} reason={}", sources, why.getMessage());
        } else if (why instanceof Damaged
                || (why instanceof StoreException store && store.kind() == StoreException.Kind.STORED_DAMAGE)) {
            LOG.error("range cannot be opened, its data is damaged sources={} reason={}", sources, why.getMessage());
        }
        wiped = wipes;
        if (wipes) {
            made.forEach(path -> outside.dfs().delete(path));
        }
    }

    /** Runs outside work and handles its result inside the loop, unless this has ended. */
    private <T> CompletableFuture<Void> step(CompletableFuture<T> work, Consumer<T> then) {
        return step(work, then, late -> {});
    }

    /** @param late called with a result that comes after this has ended */
    private <T> CompletableFuture<Void> step(CompletableFuture<T> work, Consumer<T> then, Consumer<T> late) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        outside.loop().whenDone(work, (result, failure) -> {
            if (ended) {
                if (failure == null) {
                    late.accept(result);
                }
                return;
            }
            if (failure != null) {
                done.completeExceptionally(failure);
                return;
            }
            progress.incrementAndGet();
            try {
                then.accept(result);
            } catch (DfsException | StoreException | Damaged bad) {
                done.completeExceptionally(bad);
                return;
            }
            done.complete(null);
        });
        return done;
    }
}
