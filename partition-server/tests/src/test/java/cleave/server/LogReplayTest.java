package cleave.server;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.dfs.Dfs;
import cleave.dfs.DfsException;
import cleave.dfs.DfsFile;
import cleave.dfs.memory.InMemoryDfs;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.manifest.Manifest;
import cleave.runtime.loop.ManualLoop;
import cleave.server.opening.LogReplay;
import cleave.server.state.Effect;
import cleave.server.state.LogPosition;
import cleave.server.state.LogRecord;
import cleave.server.state.LogRecordBuilder;
import com.google.protobuf.ByteString;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.BinaryOperator;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class LogReplayTest {
    private static final String PATH = "ranges/1.0/4-s1.3-log-1";

    private final ManualLoop loop = new ManualLoop();
    private final InMemoryDfs dfs = new InMemoryDfs();
    private final DfsFile file = dfs.create(PATH).join();
    private final List<LogRecord> applied = new ArrayList<>();
    private final LogReplay replay = replayFrom(dfs);

    private LogReplay replayFrom(Dfs from) {
        Manifest.Log log = new Manifest.Log(PATH, KeyRange.ALL, 0, LogPosition.FIRST_SEQUENCE);
        return new LogReplay(loop, from, log, (record, behind) -> applied.add(record));
    }

    private void append(long sequence) {
        LogRecordBuilder record = new LogRecordBuilder();
        record.add(new Effect.Delete(Key.of(7, "p", "r" + sequence)));
        file.append(ByteString.copyFrom(record.finish(sequence, sequence))).join();
    }

    @Test
    void whatWasAskedForBeforeTheSealIsNoEnd() {
        append(LogPosition.FIRST_SEQUENCE);
        CompletableFuture<Void> near = loop.call(replay::follow);
        loop.advanceMillis(100);
        assertThat(near).isCompleted();
        assertThat(applied).hasSize(1);
        dfs.readAnswers.hold();
        loop.advanceMillis(100);
        append(LogPosition.FIRST_SEQUENCE + 1);
        long length = dfs.seal(PATH).join();
        CompletableFuture<Long> done = loop.call(() -> replay.to(length));
        dfs.readAnswers.release();
        loop.runReady();
        assertThat(done).isCompletedWithValue(length);
        assertThat(applied).hasSize(2);
    }

    /** Another process has sealed it, and this one only has that process' word. */
    @Test
    void aLogThatStillLooksOpenIsReplayedToItsSealedLength() {
        append(LogPosition.FIRST_SEQUENCE);
        append(LogPosition.FIRST_SEQUENCE + 1);
        long length = dfs.seal(PATH).join();
        dfs.showAtMost(PATH, 3);

        CompletableFuture<Void> near = loop.call(replay::follow);
        loop.advanceMillis(100);
        assertThat(near).isCompleted();
        assertThat(applied).isEmpty();

        assertThat(loop.call(() -> replay.to(length))).isCompletedWithValue(length);
        assertThat(applied).hasSize(2);
    }

    @Test
    void whatWasReadAheadIsNotReadAgain() {
        append(LogPosition.FIRST_SEQUENCE);
        append(LogPosition.FIRST_SEQUENCE + 1);
        long length = dfs.seal(PATH).join();

        loop.run(() -> replay.readAhead(length));
        assertThat(dfs.reads).containsExactly(PATH);
        assertThat(applied).isEmpty();

        assertThat(loop.call(() -> replay.to(length))).isCompletedWithValue(length);
        assertThat(dfs.reads).containsExactly(PATH);
        assertThat(applied).hasSize(2);
    }

    @Test
    void aFollowedLogIsReadAheadFromWhereItWasFollowedTo() {
        append(LogPosition.FIRST_SEQUENCE);
        loop.call(replay::follow);
        loop.advanceMillis(100);
        append(LogPosition.FIRST_SEQUENCE + 1);
        long length = dfs.seal(PATH).join();
        dfs.reads.clear();
        dfs.readAnswers.hold();
        loop.run(() -> replay.readAhead(length));
        assertThat(dfs.reads).hasSize(1);

        loop.advanceMillis(100); // It looks for more, and waits for the same answer.
        assertThat(dfs.reads).hasSize(1);
        dfs.readAnswers.release();
        loop.runReady();

        assertThat(loop.call(() -> replay.to(length))).isCompletedWithValue(length);
        assertThat(dfs.reads).hasSize(1);
        assertThat(applied).hasSize(2);
    }

    @Test
    void whatFailedToBeReadAheadIsReadAgain() {
        append(LogPosition.FIRST_SEQUENCE);
        long length = dfs.seal(PATH).join();
        List<Integer> reads = new ArrayList<>();
        Dfs failsFirst = (Dfs) Proxy.newProxyInstance(
                Dfs.class.getClassLoader(), new Class<?>[] {Dfs.class}, (proxy, called, arguments) -> {
                    if (called.getName().equals("read")) {
                        reads.add((int) arguments[2]);
                        if (reads.size() == 1) {
                            return CompletableFuture.failedFuture(
                                    new DfsException(DfsException.Reason.UNAVAILABLE, "not now"));
                        }
                    }
                    return called.invoke(dfs, arguments);
                });
        LogReplay later = replayFrom(failsFirst);
        loop.run(() -> later.readAhead(length));
        loop.runReady();

        assertThat(loop.call(() -> later.to(length))).isCompletedWithValue(length);
        assertThat(reads).hasSize(2);
        assertThat(applied).hasSize(1);
    }

    private static final int ROWS = 5_000;

    /** Five million bytes, in records that end where no read does. */
    private long largeSealedLog() {
        byte[] entity = new byte[1_000];
        for (int row = 0; row < ROWS; row++) {
            LogRecordBuilder record = new LogRecordBuilder();
            record.add(new Effect.Put(Key.of(7, "p", "r" + row), entity));
            file.append(ByteString.copyFrom(record.finish(LogPosition.FIRST_SEQUENCE + row, 1)))
                    .join();
        }
        return dfs.seal(PATH).join();
    }

    private void assertAllWasReplayedInOrder() {
        assertThat(applied)
                .extracting(LogRecord::sequence)
                .containsExactlyElementsOf(LongStream.range(0, ROWS)
                        .mapToObj(row -> LogPosition.FIRST_SEQUENCE + row)
                        .toList());
    }

    /** @param answered how many bytes a read gets, by the number of records that were replayed and the bytes that it asks for */
    private LogReplay replayOf(BinaryOperator<Integer> answered) {
        Dfs watched = (Dfs) Proxy.newProxyInstance(
                Dfs.class.getClassLoader(),
                new Class<?>[] {Dfs.class},
                (proxy, called, arguments) -> called.getName().equals("read")
                        ? dfs.read(PATH, (long) arguments[1], answered.apply(applied.size(), (int) arguments[2]))
                        : called.invoke(dfs, arguments));
        return replayFrom(watched);
    }

    @Test
    void whatFollowsIsAskedForBeforeWhatIsThereIsReplayed() {
        long length = largeSealedLog();
        List<Integer> replayed = new ArrayList<>();
        LogReplay watched = replayOf((already, asked) -> {
            replayed.add(already);
            return asked;
        });

        assertThat(loop.call(() -> watched.to(length))).isCompletedWithValue(length);
        assertAllWasReplayedInOrder();
        assertThat(replayed).hasSize(3);
        assertThat(replayed.get(1)).isZero();
        assertThat(replayed.get(2)).isBetween(1_900, 2_100);
    }

    @Test
    void theLoopHasTurnsForOthersInBetween() {
        long length = largeSealedLog();
        Set<Integer> seen = new TreeSet<>();
        CompletableFuture<Long> done = new CompletableFuture<>();
        loop.run(() -> {
            replay.to(length).thenAccept(done::complete);
            watch(seen, done);
        });
        loop.runReady();
        assertThat(done).isCompletedWithValue(length);
        assertThat(seen).as("numbers of records that were seen by another task").hasSizeGreaterThan(15);
    }

    private void watch(Set<Integer> seen, CompletableFuture<Long> done) {
        seen.add(applied.size());
        if (!done.isDone()) {
            loop.submit(() -> watch(seen, done));
        }
    }

    @Test
    void behindAReadThatCameShortNothingIsSkipped() {
        long length = largeSealedLog();
        LogReplay watched = replayOf((already, asked) -> Math.min(asked, 300_000));

        assertThat(loop.call(() -> watched.to(length))).isCompletedWithValue(length);
        assertAllWasReplayedInOrder();
    }

    @Test
    void aLogThatEndsBeforeItsSealedLengthIsAFailure() {
        long length = largeSealedLog();
        assertThat(loop.call(() -> replay.to(length + 1)))
                .isCompletedExceptionally()
                .failsWithin(Duration.ZERO)
                .withThrowableOfType(ExecutionException.class)
                .withMessageContaining("ends at " + length + ", before its sealed length " + (length + 1));
    }
}
