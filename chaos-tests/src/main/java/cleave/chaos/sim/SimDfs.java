package cleave.chaos.sim;

import cleave.dfs.Dfs;
import cleave.dfs.DfsException;
import cleave.dfs.DfsException.Reason;
import cleave.dfs.DfsFile;
import cleave.dfs.DfsFile.Purpose;
import com.google.protobuf.ByteString;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A DFS that keeps to its contract, and is as nasty as that allows: appends of unknown outcome, seals that take their time and cut
 * inside the last append, open files of which less is to be seen than is acknowledged, calls that find nobody although they were
 * carried out. It survives everything. Confined to the simulation.
 */
final class SimDfs implements SimMedium {
    static final String NODE = "dfs";
    private static final long PATIENCE_NANOS = 4_000_000_000L;

    private final World world;
    private final Random random;
    private final TreeMap<String, Content> files = new TreeMap<>();
    private final TreeSet<String> deleted = new TreeSet<>();
    /** Files of another cluster. */
    private final TreeSet<String> others = new TreeSet<>();

    private Consumer<String> onDelete = path -> {};
    private Dfs.Space space = Dfs.Space.ROOMY;
    private Nastiness nastiness = Nastiness.NONE;
    private @Nullable Cut cut;

    /** Decides how much of a file a seal leaves, in place of chance. */
    interface Cut {
        /** From what is durable to what is stored. */
        int length(int durable, int stored);
    }

    SimDfs(World world) {
        this.world = world;
        this.random = world.newRandom();
    }

    @Override
    public String node() {
        return NODE;
    }

    @Override
    public void be(Nastiness how) {
        nastiness = how;
    }

    /** From now on seals cut like that. */
    void cutSeals(Cut how) {
        cut = how;
    }

    /** The medium of a file breaks: the appends that are not durable fail, and may have happened. */
    void breakMedium(String path) {
        breakMedium(path, file(path));
    }

    private void breakMedium(String path, Content content) {
        world.trace().note(world.now(), NODE, "breaks", path);
        world.trace().count("appends of unknown outcome");
        content.broken = true;
        content.unsynced.forEach(append -> append.failed.accept(failure(Reason.BROKEN, path)));
        content.unsynced.clear();
    }

    @Override
    public void onDelete(Consumer<String> listener) {
        onDelete = listener;
    }

    @Override
    public Handle at(SimProcess process) {
        return new Handle(process);
    }

    @Override
    public boolean exists(String path) {
        return files.containsKey(path);
    }

    @Override
    public @Nullable ByteString peek(String path) {
        Content content = files.get(path);
        return content == null ? null : content.bytes;
    }

    @Override
    public long durableLength(String path) {
        return file(path).durable;
    }

    @Override
    public void mend(String path) {
        Content content = files.get(path);
        if (content != null) {
            content.broken = false;
            content.stalled = false;
        }
    }

    @Override
    public boolean isSealed(String path) {
        Content content = files.get(path);
        return content != null && content.sealed;
    }

    private static final class Content {
        private ByteString bytes = ByteString.EMPTY;
        private int durable;
        private int visible;
        private boolean sealed;
        private boolean broken;
        private boolean stalled;
        private final ArrayDeque<Stored> unsynced = new ArrayDeque<>();
    }

    /** An append that has reached the medium, and its end. */
    private record Stored(int end, Runnable done, Consumer<DfsException> failed) {}

    private static DfsException failure(Reason reason, String path) {
        return new DfsException(reason, path);
    }

    private Content file(String path) {
        Content content = files.get(path);
        if (content == null) {
            throw failure(deleted.contains(path) ? Reason.DELETED : Reason.NOT_FOUND, path);
        }
        return content;
    }

    /** From now on there is so much room, as its clients hear. */
    void has(Dfs.Space room) {
        space = room;
    }

    private void create(String path) {
        if (random.nextDouble() < nastiness.taken() && !files.containsKey(path) && !deleted.contains(path)) {
            world.trace().count("paths in use");
            files.put(path, new Content());
            others.add(path);
        }
        if (files.containsKey(path) || deleted.contains(path)) {
            throw failure(Reason.EXISTS, path);
        }
        files.put(path, new Content());
    }

    private long seal(String path) {
        if (deleted.contains(path)) {
            throw failure(Reason.DELETED, path);
        }
        Content content = files.computeIfAbsent(path, unused -> new Content());
        if (!content.sealed) {
            world.trace().count("seals");
            content.sealed = true;
            int length = sealedLength(content);
            if (length < content.bytes.size()) {
                world.trace().count("seals that cut");
            }
            content.bytes = content.bytes.substring(0, length);
            boolean failing = false;
            for (Stored append : content.unsynced) {
                failing |= append.end > length || random.nextInt(3) == 0;
                if (failing) {
                    append.failed.accept(failure(Reason.SEALED, path));
                } else {
                    append.done.run();
                }
            }
            content.unsynced.clear();
            content.durable = length;
        }
        return content.durable;
    }

    private int sealedLength(Content content) {
        int stored = content.bytes.size();
        if (cut != null) {
            return cut.length(content.durable, stored);
        }
        return switch (random.nextInt(3)) {
            case 0 -> content.durable;
            case 1 -> stored;
            default -> content.durable + random.nextInt(stored - content.durable + 1);
        };
    }

    private int visible(Content content) {
        if (content.sealed) {
            return content.durable;
        }
        if (random.nextInt(4) > 0) {
            content.visible = content.durable;
        }
        return content.visible;
    }

    private ByteString read(String path, long offset, int length) {
        Content content = file(path);
        int end = (int) Math.min(visible(content), offset + length);
        return offset >= end ? ByteString.EMPTY : content.bytes.substring((int) offset, end);
    }

    private Dfs.FileInfo stat(String path) {
        Content content = file(path);
        return new Dfs.FileInfo(path, visible(content), content.sealed);
    }

    private List<Dfs.FileInfo> list(String prefix) {
        List<Dfs.FileInfo> found = new ArrayList<>();
        for (String path : files.tailMap(prefix, true).keySet()) {
            if (!path.startsWith(prefix)) {
                break;
            }
            found.add(stat(path));
        }
        return found;
    }

    private void delete(String path) {
        if (files.containsKey(path)) {
            onDelete.accept(path);
        }
        world.trace().count("files deleted");
        deleted.add(path);
        Content content = files.remove(path);
        if (content != null) {
            content.sealed = true;
            content.unsynced.forEach(append -> append.failed.accept(failure(Reason.DELETED, path)));
            content.unsynced.clear();
        }
    }

    /** Carries an event to or from the DFS; it waits while the way is blocked. */
    private void travel(String from, String to, Runnable arrival) {
        world.after(world.network().delay(from, to), () -> arrive(from, to, arrival));
    }

    private void arrive(String from, String to, Runnable arrival) {
        if (world.network().isBlocked(from, to)) {
            world.after(20_000_000L + random.nextInt(100_000_000), () -> arrive(from, to, arrival));
        } else {
            arrival.run();
        }
    }

    /** One process' way to the DFS. What it has sent when it dies may still arrive. */
    final class Handle implements Dfs {
        private final SimProcess process;

        Handle(SimProcess process) {
            this.process = process;
        }

        private <T> CompletableFuture<T> call(String what, String path, long extraNanos, Supplier<T> atDfs) {
            CompletableFuture<T> answer = new CompletableFuture<>();
            process.deliver(
                    PATIENCE_NANOS, () -> answer.completeExceptionally(failure(Reason.UNAVAILABLE, path + " in time")));
            boolean unavailable = random.nextDouble() < nastiness.unavailable();
            boolean executed = !unavailable || random.nextBoolean();
            Runnable atArrival = () -> world.after(extraNanos, () -> {
                Runnable answering;
                if (executed) {
                    world.trace().note(world.now(), process.node(), what + "s", path);
                    answering = answering(answer, atDfs);
                } else {
                    answering = () -> {};
                }
                Runnable end =
                        unavailable ? () -> answer.completeExceptionally(failure(Reason.UNAVAILABLE, path)) : answering;
                travel(
                        NODE,
                        process.node(),
                        () -> world.carry(
                                () -> Message.answer(NODE, process.node(), what, path), () -> process.run(end)));
            });
            travel(
                    process.node(),
                    NODE,
                    () -> world.carry(() -> Message.request(process.node(), NODE, what, path), atArrival));
            return answer;
        }

        private <T> Runnable answering(CompletableFuture<T> answer, Supplier<T> atDfs) {
            try {
                T result = atDfs.get();
                return () -> answer.complete(result);
            } catch (DfsException refusal) {
                return () -> answer.completeExceptionally(refusal);
            }
        }

        @Override
        public CompletableFuture<DfsFile> create(String path) {
            return call("create", path, 0, () -> {
                SimDfs.this.create(path);
                return new Writer(process, path, file(path));
            });
        }

        @Override
        public CompletableFuture<Long> seal(String path) {
            boolean slow = random.nextDouble() < nastiness.slowSeal();
            long extra = slow ? (long) (random.nextDouble() * 3e9) : 0;
            return call("seal", path, extra, () -> SimDfs.this.seal(path));
        }

        @Override
        public CompletableFuture<ByteString> read(String path, long offset, int length) {
            return call("read", path, 0, () -> SimDfs.this.read(path, offset, length));
        }

        @Override
        public CompletableFuture<FileInfo> stat(String path) {
            return call("stat", path, 0, () -> SimDfs.this.stat(path));
        }

        @Override
        public CompletableFuture<List<FileInfo>> list(String prefix) {
            return call("list", prefix, 0, () -> SimDfs.this.list(prefix));
        }

        @Override
        public Space space() {
            return space;
        }

        @Override
        public CompletableFuture<Void> delete(String path) {
            return call("delete", path, 0, () -> {
                if (others.contains(path) && !process.node().startsWith("m")) { // A sweep knows names only.
                    world.violation(Finding.By.MAP, process.node() + " deletes a file that it did not make: " + path);
                }
                SimDfs.this.delete(path);
                return null;
            });
        }

        @Override
        public void close() {}
    }

    /** The writing end of a file. Its appends arrive, are stored and become durable in order. */
    private final class Writer implements DfsFile {
        private final SimProcess process;
        private final String path;
        private final Content content;
        private final ArrayDeque<Runnable> onTheirWay = new ArrayDeque<>();
        private boolean planned;
        private boolean closed;
        private boolean lost;
        /** An append found no space: none behind it is taken. */
        private boolean refused;

        private long syncedNanos;
        private long answeredNanos;

        Writer(SimProcess process, String path, Content content) {
            this.process = process;
            this.path = path;
            this.content = content;
        }

        @Override
        public String path() {
            return path;
        }

        @Override
        public CompletableFuture<Long> append(ByteString bytes, Purpose purpose) {
            CompletableFuture<Long> answer = new CompletableFuture<>();
            if (closed) {
                answer.completeExceptionally(failure(Reason.BROKEN, path + " is closed"));
                return answer;
            }
            onTheirWay.add(() -> store(bytes, purpose, answer));
            if (!planned) {
                plan(world.network().delay(process.node(), NODE));
            }
            return answer;
        }

        private void plan(long delay) {
            planned = true;
            world.after(delay, this::arrive);
        }

        private void arrive() {
            planned = false;
            if (process.isDead() && !world.isScripted() && random.nextBoolean()) {
                lost = true;
            }
            if (lost) {
                onTheirWay.clear();
                return;
            }
            if (world.network().isBlocked(process.node(), NODE)) {
                plan(20_000_000L + random.nextInt(100_000_000));
                return;
            }
            planned = true; // What comes behind waits, if this one is held.
            world.carry(() -> Message.request(process.node(), NODE, "append", path), this::take);
        }

        private void take() {
            planned = false;
            Runnable append = onTheirWay.remove();
            if (!onTheirWay.isEmpty()) {
                plan(10_000L + random.nextInt(50_000));
            }
            append.run();
        }

        private void store(ByteString bytes, Purpose purpose, CompletableFuture<Long> answer) {
            Consumer<DfsException> failed = why -> answer(why.reason().name(), () -> answer.completeExceptionally(why));
            if (purpose == Purpose.WRITE && space != Dfs.Space.ROOMY) {
                refused = true;
            }
            if (refusal() != null) {
                failed.accept(refusal());
                return;
            }
            content.bytes = content.bytes.concat(bytes);
            int end = content.bytes.size();
            content.unsynced.add(new Stored(end, () -> answer("OK", () -> answer.complete((long) end)), failed));
            world.trace().count("appends");
            if (random.nextDouble() < nastiness.broken()) {
                content.stalled = true;
                long patience = random.nextBoolean() ? 1_000_000 : random.nextInt(500_000_000);
                world.after(patience, () -> breakMedium(path, content));
            } else {
                long took = random.nextDouble() < nastiness.slowSync()
                        ? (long) (random.nextDouble() * 1.5e9)
                        : 100_000L + random.nextInt(2_000_000);
                syncedNanos = Math.max(syncedNanos, world.now() + took);
                world.scheduler()
                        .at(
                                syncedNanos,
                                () -> world.carry(() -> Message.request(NODE, "disk", "sync", path), () -> sync(end)));
            }
        }

        /** What its writer did not live to hear of stays in doubt until a seal decides. */
        private void sync(int end) {
            if (process.isDead() || content.stalled) {
                return;
            }
            while (!content.unsynced.isEmpty() && content.unsynced.element().end <= end) {
                Stored append = content.unsynced.remove();
                content.durable = append.end;
                append.done.run();
            }
        }

        private @Nullable DfsException refusal() {
            if (deleted.contains(path)) {
                return failure(Reason.DELETED, path);
            }
            if (content.sealed) {
                return failure(Reason.SEALED, path);
            }
            return content.broken ? failure(Reason.BROKEN, path) : refused ? failure(Reason.NO_SPACE, path) : null;
        }

        /** Answers leave and arrive in order. */
        private void answer(String outcome, Runnable end) {
            answeredNanos =
                    Math.max(answeredNanos, world.now() + world.network().delay(NODE, process.node()));
            world.scheduler()
                    .at(
                            answeredNanos,
                            () -> SimDfs.this.arrive(NODE, process.node(), () -> answer("append", outcome, end)));
        }

        private void answer(String what, String outcome, Runnable end) {
            world.carry(() -> Message.answer(NODE, process.node(), what, path + " " + outcome), () -> process.run(end));
        }

        @Override
        public CompletableFuture<Void> barrier() {
            CompletableFuture<Void> answer = new CompletableFuture<>();
            world.trace().count("barriers");
            travel(
                    process.node(),
                    NODE,
                    () -> world.carry(
                            () -> Message.request(process.node(), NODE, "barrier", path), () -> judgeBarrier(answer)));
            return answer;
        }

        private void judgeBarrier(CompletableFuture<Void> answer) {
            DfsException refusal = closed ? failure(Reason.BROKEN, path + " is closed") : refusal();
            travel(
                    NODE,
                    process.node(),
                    () -> answer(
                            "barrier", refusal == null ? "OK" : refusal.reason().name(), () -> {
                                if (refusal == null) {
                                    answer.complete(null);
                                } else {
                                    answer.completeExceptionally(refusal);
                                }
                            }));
        }

        @Override
        public void close() {
            closed = true;
        }
    }
}
