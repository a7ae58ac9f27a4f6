package cleave.chaos.sim.bugs;

import static cleave.chaos.sim.world.Intercepted.changed;
import static cleave.chaos.sim.world.Intercepted.withAnswers;
import static java.util.concurrent.CompletableFuture.completedFuture;

import cleave.chaos.sim.world.Intercepted;
import cleave.chaos.sim.world.SimMedium;
import cleave.dfs.Dfs;
import cleave.dfs.DfsException;
import cleave.dfs.DfsFile;
import cleave.model.Fence;
import cleave.model.manifest.DroppedTables;
import cleave.model.manifest.Manifest;
import cleave.model.manifest.ManifestCodec;
import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The planted bugs of a server's access to the DFS: in seals, replays, barriers, appends and deletions.
 *
 * @param real the access without a bug
 */
record DfsMutants(Bug bug, SimMedium medium, Dfs real) {
    private static final int RECORD_CHECKSUM_AT = 4;
    private static final int RECORD_CONTENT_AT = 8;
    private static final int RECORD_TIMESTAMP_AT = 16;

    /**
     * The access with the bug.
     *
     * @param believed logs that are wrongly believed to be sealed
     */
    Dfs of(String server, Set<String> believed) {
        return switch (bug) {
            case SEAL_SKIPPED -> takeover(this::unsealed);
            case RANGES_KEPT_BY_A_RESTARTED_PROCESS ->
                takeover(path -> path.contains("-" + server + ".") ? length(path) : real.seal(path));
            case REPLAY_CUT_SHORT -> takeover(path -> real.seal(path).thenApply(length -> Math.max(0, length - 1)));
            case REPLAY_PAST_THE_SEAL -> takeover(path -> real.seal(path).thenApply(length -> length + 1));
            case COMMITTED_WITHOUT_WORD -> takeover(path -> believed.contains(path) ? unsealed(path) : real.seal(path));
            case OPEN_FILE_READ_BEYOND_ACKNOWLEDGED -> overreading();
            case DROP_FORGOTTEN_BY_A_CHILD -> forgetting();
            case TIMESTAMPS_FROM_THE_CLOCK_ALONE ->
                logs(forgetting(), "append", (log, call) -> call.goWith(0, withoutTimestamp(call.argument(0))));
            case BARRIER_SKIPPED -> handles(real, path -> true, "barrier", (path, call) -> completedFuture(null));
            case FENCE_NOT_SEALED ->
                changed(
                        real,
                        "seal",
                        call -> call.<String>argument(0).startsWith(Fence.PREFIX) ? completedFuture(0L) : call.go());
            case FENCE_OF_THE_INCARNATION_BEFORE ->
                changed(
                        real,
                        "seal",
                        call -> call.<String>argument(0).startsWith(Fence.PREFIX)
                                ? real.seal(incarnationBefore(call.argument(0)))
                                : call.go());
            case FENCE_USED_IN_DOUBT -> {
                ArrayDeque<DfsFile> fences = new ArrayDeque<>();
                Dfs fenced = withAnswers(real, "createFence", (DfsFile file) -> {
                    fences.push(file);
                    return file;
                });
                yield logs(
                        fenced,
                        "barrier",
                        (log, call) ->
                                fences.isEmpty() ? call.go() : fences.element().barrier());
            }
            case BARRIER_SENT_BEFORE_THE_READ -> {
                TreeMap<String, CompletableFuture<Void>> sent = new TreeMap<>();
                yield handles(real, path -> true, "barrier", (path, call) -> {
                    CompletableFuture<Void> own = call.go();
                    CompletableFuture<Void> before = sent.put(path, own);
                    return before == null ? own : before;
                });
            }
            case ACKNOWLEDGED_BEFORE_DURABLE -> {
                TreeMap<String, Long> sent = new TreeMap<>();
                yield logs(real, "append", (log, call) -> {
                    call.go();
                    return completedFuture(sent.merge(log, size(call), Long::sum));
                });
            }
            case WRITTEN_BEHIND_UNKNOWN_APPEND -> writtenBehind();
            case BROKEN_LOG_TAKEN_FOR_UNWRITTEN -> unwritten();
            case FILE_OF_OTHERS_DELETED ->
                changed(real, "create", call -> {
                    CompletableFuture<DfsFile> created = call.go();
                    created.whenComplete((file, failure) -> {
                        if (failure != null) {
                            real.delete(call.argument(0));
                        }
                    });
                    return created;
                });
            case REACHABLE_FILE_SWEPT -> {
                ArrayDeque<String> created = new ArrayDeque<>();
                Runnable deletesNewest = () -> created.stream().limit(1).forEach(real::delete);
                yield onCreate(changed(real, "delete", call -> call.after(deletesNewest)), created::push);
            }
            default -> real;
        };
    }

    /** @param fence {@code fences/SERVER.NUMBER-N} */
    private static String incarnationBefore(String fence) {
        int number = fence.lastIndexOf('.') + 1;
        int end = fence.lastIndexOf('-');
        return fence.substring(0, number) + (Long.parseLong(fence, number, end, 10) - 1) + fence.substring(end);
    }

    private static boolean isLog(String path) {
        return path.contains("-log-");
    }

    private static Dfs onCreate(Dfs real, Consumer<String> listener) {
        return changed(real, "create", call -> call.after(() -> listener.accept(call.argument(0))));
    }

    /** @param seal answers the length up to which the log of another process is replayed */
    private Dfs takeover(Function<String, CompletableFuture<Long>> seal) {
        TreeSet<String> own = new TreeSet<>();
        Dfs taking = changed(real, "seal", call -> {
            String path = call.argument(0);
            return isLog(path) && !own.contains(path) ? seal.apply(path) : call.go();
        });
        return onCreate(taking, own::add);
    }

    private CompletableFuture<Long> unsealed(String path) {
        return real.stat(path).thenApply(file -> medium.durableLength(path));
    }

    private CompletableFuture<Long> length(String path) {
        return real.stat(path).thenApply(Dfs.FileInfo::length);
    }

    /** @param change of a call of the handle of a log with this path */
    private static Dfs logs(Dfs real, String name, BiFunction<String, Intercepted, @Nullable Object> change) {
        return handles(real, DfsMutants::isLog, name, change);
    }

    private static Dfs handles(
            Dfs real, Predicate<String> which, String name, BiFunction<String, Intercepted, @Nullable Object> change) {
        UnaryOperator<DfsFile> changing =
                file -> which.test(file.path()) ? changed(file, name, call -> change.apply(file.path(), call)) : file;
        return withAnswers(withAnswers(real, "create", changing), "createFence", changing);
    }

    private static long size(Intercepted append) {
        return append.<ByteString>argument(0).size();
    }

    private Dfs overreading() {
        TreeMap<String, ByteString> misread = new TreeMap<>();
        Dfs taking = takeover(path -> {
            ByteString open = medium.isVisible() && medium.exists(path) ? medium.peek(path) : null;
            return real.seal(path).thenApply(length -> {
                if (open == null || open.size() <= length) {
                    return length;
                }
                misread.put(path, open);
                return (long) open.size();
            });
        });
        return changed(taking, "read", call -> read(misread, call));
    }

    private static CompletableFuture<ByteString> read(Map<String, ByteString> misread, Intercepted call) {
        ByteString read = misread.get(call.<String>argument(0));
        if (read == null) {
            return call.go();
        }
        int offset = call.<Long>argument(1).intValue();
        return completedFuture(read.substring(offset, Math.min(read.size(), offset + call.<Integer>argument(2))));
    }

    /** Part of a manifest, from which a new owner continues, is missing. */
    private Dfs forgetting() {
        TreeMap<String, ByteString> less = new TreeMap<>();
        Dfs forgetful = changed(real, "stat", call -> {
            CompletableFuture<Dfs.FileInfo> found = call.go();
            return isManifest(call.argument(0)) ? found.thenCompose(file -> forget(file, less)) : found;
        });
        return changed(forgetful, "read", call -> {
            String path = call.argument(0);
            return isManifest(path) ? forgetful.stat(path).thenCompose(known -> read(less, call)) : call.go();
        });
    }

    private static boolean isManifest(String path) {
        return path.contains("-manifest-");
    }

    private CompletableFuture<Dfs.FileInfo> forget(Dfs.FileInfo file, Map<String, ByteString> less) {
        return real.read(file.path(), 0, Math.toIntExact(file.length())).thenApply(bytes -> {
            Manifest whole = ManifestCodec.decode(bytes.toByteArray());
            ByteString part = ByteString.copyFrom(ManifestCodec.encode(new Manifest(
                    whole.range(),
                    whole.epoch(),
                    whole.checkpoints(),
                    whole.logs(),
                    bug == Bug.TIMESTAMPS_FROM_THE_CLOCK_ALONE ? 0 : whole.highestTimestamp(),
                    bug == Bug.DROP_FORGOTTEN_BY_A_CHILD ? DroppedTables.NONE : whole.dropped())));
            less.put(file.path(), part);
            return new Dfs.FileInfo(file.path(), part.size(), file.sealed());
        });
    }

    /** A log record without assigned timestamps; see {@link cleave.server.state.LogRecordBuilder}. */
    private static ByteString withoutTimestamp(ByteString record) {
        ByteBuffer changed = ByteBuffer.wrap(record.toByteArray()).putLong(RECORD_TIMESTAMP_AT, 0);
        CRC32C checksum = new CRC32C();
        checksum.update(changed.array(), 0, RECORD_CHECKSUM_AT);
        checksum.update(changed.array(), RECORD_CONTENT_AT, record.size() - RECORD_CONTENT_AT);
        return ByteString.copyFrom(
                changed.putInt(RECORD_CHECKSUM_AT, (int) checksum.getValue()).array());
    }

    private Dfs writtenBehind() {
        TreeMap<String, Long> sent = new TreeMap<>();
        return logs(real, "append", (log, call) -> {
            long end = sent.merge(log, size(call), Long::sum);
            return call.<CompletableFuture<Long>>go().thenApply(length -> end).exceptionallyCompose(failure -> {
                if (!isBreak(failure)) {
                    return CompletableFuture.failedFuture(failure);
                }
                medium.mend(log);
                return call.<CompletableFuture<Long>>go().thenApply(length -> end);
            });
        });
    }

    private Dfs unwritten() {
        TreeMap<String, Long> acknowledged = new TreeMap<>();
        TreeMap<String, Long> broken = new TreeMap<>();
        Dfs learning = logs(real, "append", (log, call) -> {
            return call.<CompletableFuture<Long>>go().whenComplete((length, failure) -> {
                if (length != null) {
                    acknowledged.put(log, length);
                } else if (isBreak(failure)) {
                    broken.putIfAbsent(log, acknowledged.getOrDefault(log, 0L));
                }
            });
        });
        return changed(learning, "seal", call -> {
            Long known = broken.get(call.<String>argument(0));
            return call.<Long>then(length -> known == null ? length : known);
        });
    }

    private static boolean isBreak(@Nullable Throwable failure) {
        Throwable why = failure instanceof CompletionException ? failure.getCause() : failure;
        return why instanceof DfsException answer && answer.reason() == DfsException.Reason.BROKEN;
    }
}
