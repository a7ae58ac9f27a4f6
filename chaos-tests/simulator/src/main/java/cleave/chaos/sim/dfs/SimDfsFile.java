package cleave.chaos.sim.dfs;

import cleave.chaos.sim.world.Message;
import cleave.chaos.sim.world.SimProcess;
import cleave.chaos.sim.world.World;
import cleave.dfs.DfsException;
import cleave.dfs.DfsException.Reason;
import cleave.dfs.DfsFile;
import cleave.dfs.policy.NameTrust;
import cleave.dfs.policy.NameTrust.Moment;
import com.google.protobuf.ByteString;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The writer of a file of the simulated DFS: appends arrive, are stored, become durable and are answered in order. */
final class SimDfsFile implements DfsFile {
    private final World world;
    private final SimDfs dfs;
    private final Random random;
    private final SimDfsClient client;
    private final SimProcess process;
    private final DfsFile file;
    private final NameTrust trust;
    private final ArrayDeque<Runnable> onTheirWay = new ArrayDeque<>();
    /** Reports of the engine that are not passed on yet: of appends, in order, and of barriers. */
    private final ArrayDeque<Report> appended = new ArrayDeque<>();

    private final ArrayDeque<Report> passed = new ArrayDeque<>();
    private boolean lookingUp;
    private boolean gone;
    private boolean planned;
    private long plannedNanos;
    private boolean closed;
    private boolean lost;
    private long barriers;
    private long syncedNanos;
    private long answeredNanos;

    /** An answer of the engine to an append or barrier, with the moment at which the writer saw it. */
    private record Report(Moment seen, CompletableFuture<?> answer, boolean isRefusal, Runnable pass) {}

    /**
     * @param file the file at the DFS
     * @param trust decides which of the engine's answers are passed on
     */
    SimDfsFile(World world, SimDfs dfs, SimDfsClient client, SimProcess process, DfsFile file, NameTrust trust) {
        this.trust = trust;
        this.world = world;
        this.dfs = dfs;
        this.random = dfs.random();
        this.client = client;
        this.process = process;
        this.file = file;
    }

    @Override
    public String path() {
        return file.path();
    }

    private boolean isClosed() {
        return closed || client.isClosed();
    }

    private <T> CompletableFuture<T> refusal() {
        return CompletableFuture.failedFuture(SimDfsClient.failure(Reason.BROKEN, path() + " is closed"));
    }

    @Override
    public CompletableFuture<Long> append(ByteString bytes, Purpose purpose) {
        if (isClosed()) {
            return refusal();
        }
        CompletableFuture<Long> answer = new CompletableFuture<>();
        onTheirWay.add(() -> store(bytes, purpose, answer));
        if (!planned) {
            plan(client.delayToDfs());
        }
        return answer;
    }

    private void plan(long delay) {
        planned = true;
        plannedNanos = world.now();
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
        if (world.network().isBlocked(process.node(), SimDfs.NODE)) {
            plan(client.blockedNanos());
            return;
        }
        planned = true; // The next one waits if this one is held.
        client.request(plannedNanos, "append", path(), this::take);
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
        CompletableFuture<Long> stored = file.append(bytes, purpose);
        boolean refused = stored.isDone();
        stored.whenComplete((length, failure) -> answer(answer, stored, failure));
        if (refused) {
            return;
        }
        world.count("appends");
        if (random.nextDouble() < dfs.faultRates().broken()) {
            dfs.stall(path());
            return;
        }
        int end = dfs.files().end(path());
        long took = random.nextDouble() < dfs.faultRates().slowSync()
                ? (long) (random.nextDouble() * 1.5e9)
                : 100_000L + random.nextInt(2_000_000);
        syncedNanos = Math.max(syncedNanos, world.now() + took);
        world.at(
                syncedNanos,
                () -> world.carry(
                        world.now(), () -> Message.request(SimDfs.NODE, "disk", "sync", path()), () -> sync(end)));
    }

    /** Appends of a dead writer stay in doubt until a seal decides. */
    private void sync(int end) {
        if (!process.isDead() && !dfs.isStalled(path())) {
            dfs.files().sync(path(), end);
        }
    }

    private void answer(CompletableFuture<Long> answer, CompletableFuture<Long> stored, @Nullable Throwable failure) {
        answeredNanos = Math.max(answeredNanos, world.now() + client.delayFromDfs());
        String told = path() + " " + outcome(failure);
        client.replyAt(answeredNanos, "append", told, () -> report(appended, answer, stored));
    }

    private <T> void report(ArrayDeque<Report> order, CompletableFuture<T> answer, CompletableFuture<T> result) {
        Moment now = client.moment();
        order.add(new Report(now, answer, result.isCompletedExceptionally(), SimDfsClient.completion(answer, result)));
        passOn();
        if (trust.isDue(now)) {
            lookUp();
        }
    }

    private void passOn() {
        for (ArrayDeque<Report> order : List.of(appended, passed)) {
            while (!order.isEmpty() && maySay(order.element())) {
                Report report = order.remove();
                if (gone && !report.isRefusal()) {
                    world.count("reports of an engine not believed");
                    report.answer().completeExceptionally(SimDfsClient.failure(Reason.DELETED, path()));
                } else {
                    report.pass().run();
                }
            }
        }
    }

    private boolean maySay(Report report) {
        return gone || report.isRefusal() || trust.believes(report.seen());
    }

    private void lookUp() {
        if (lookingUp || gone || client.isClosed()) {
            return;
        }
        lookingUp = true;
        Moment sent = client.moment();
        client.exists(path()).whenComplete((exists, failure) -> {
            lookingUp = false;
            if (exists == null) {
                client.soon(this::lookUp);
                return;
            }
            gone = !exists;
            if (exists) {
                trust.exists(sent);
            }
            passOn();
            if (!appended.isEmpty() || !passed.isEmpty()) {
                lookUp();
            }
        });
    }

    private static String outcome(@Nullable Throwable failure) {
        return failure instanceof DfsException refusal ? refusal.reason().name() : "OK";
    }

    @Override
    public CompletableFuture<Void> barrier() {
        CompletableFuture<Void> answer = new CompletableFuture<>();
        world.count("barriers");
        if (++barriers == dfs.barriersPerFile()) {
            world.count("files with many barriers");
        }
        client.ask("barrier", path(), () -> {
            CompletableFuture<Void> result = isClosed() ? refusal() : file.barrier();
            result.whenComplete((nothing, failure) ->
                    client.reply("barrier", path() + " " + outcome(failure), () -> report(passed, answer, result)));
        });
        return answer;
    }

    @Override
    public void close() {
        if (!closed && dfs.sealsWhatIsGivenUp()) {
            sealOnceNothingIsUnderWay();
        }
        closed = true;
    }

    private void sealOnceNothingIsUnderWay() {
        world.after(random.nextInt(100_000_000), () -> {
            if (process.isDead()) {
                return; // It stays open.
            }
            if (onTheirWay.isEmpty() && world.now() > syncedNanos && dfs.hasNames()) {
                dfs.sealGivenUp(path());
            } else {
                sealOnceNothingIsUnderWay();
            }
        });
    }
}
