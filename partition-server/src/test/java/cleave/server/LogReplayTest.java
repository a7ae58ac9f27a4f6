package cleave.server;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.dfs.Dfs;
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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class LogReplayTest {
    private static final int PIECE_BYTES = 256 << 10;
    private static final String PATH = "ranges/1.0/4-s1.3-log-1";

    private final ManualLoop loop = new ManualLoop();
    private final InMemoryDfs dfs = new InMemoryDfs();
    private final DfsFile file = dfs.create(PATH).join();
    private final List<LogRecord> applied = new ArrayList<>();
    private final LogReplay replay = new LogReplay(
            loop,
            dfs,
            new Manifest.Log(PATH, KeyRange.ALL, 0, LogPosition.FIRST_SEQUENCE),
            (record, behind) -> applied.add(record));

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
        dfs.holdReads();
        loop.advanceMillis(100);
        append(LogPosition.FIRST_SEQUENCE + 1);
        long length = dfs.seal(PATH).join();
        CompletableFuture<Long> done = loop.call(() -> replay.to(length));
        dfs.releaseReads();
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
        dfs.holdReads();
        loop.run(() -> replay.readAhead(length));
        assertThat(dfs.reads).hasSize(1);

        loop.advanceMillis(100); // It looks for more, and waits for the same answer.
        assertThat(dfs.reads).hasSize(1);
        dfs.releaseReads();
        loop.runReady();

        assertThat(loop.call(() -> replay.to(length))).isCompletedWithValue(length);
        assertThat(dfs.reads).hasSize(1);
        assertThat(applied).hasSize(2);
    }

    /** Twenty pieces, of records that do not end where pieces do. */
    private long sealedLog(int rows) {
        byte[] entity = new byte[1_000];
        for (int row = 0; row < rows; row++) {
            LogRecordBuilder record = new LogRecordBuilder();
            record.add(new Effect.Put(Key.of(7, "p", "r" + row), entity));
            file.append(ByteString.copyFrom(record.finish(LogPosition.FIRST_SEQUENCE + row, 1)))
                    .join();
        }
        return dfs.seal(PATH).join();
    }

    @Test
    void eightPiecesOfASealedLogAreAskedForTogether() {
        long length = sealedLog(5_000);
        dfs.holdReads();
        loop.run(() -> replay.readAhead(length));
        CompletableFuture<Long> done = loop.call(() -> replay.to(length));
        loop.advanceMillis(100);
        assertThat(dfs.reads).hasSize(8);
        assertThat(applied).isEmpty();

        dfs.releaseReads();
        loop.runReady();
        assertThat(done).isCompletedWithValue(length);
        assertThat(applied).extracting(LogRecord::sequence).containsExactlyElementsOf(sequences(5_000));
        assertThat(dfs.reads).hasSize(Math.toIntExact((length + PIECE_BYTES - 1) / PIECE_BYTES));
    }

    private static List<Long> sequences(int count) {
        return LongStream.range(LogPosition.FIRST_SEQUENCE, LogPosition.FIRST_SEQUENCE + count)
                .boxed()
                .toList();
    }

    /** Twice a piece in the middle comes short, and those behind it do not fit it then. */
    @Test
    void behindAPieceThatCameShortNothingIsSkipped() {
        long length = sealedLog(5_000);
        List<Long> offsets = new ArrayList<>();
        Dfs stingy = (Dfs) Proxy.newProxyInstance(
                Dfs.class.getClassLoader(), new Class<?>[] {Dfs.class}, (proxy, called, arguments) -> {
                    if (called.getName().equals("read")) {
                        long offset = (long) arguments[1];
                        offsets.add(offset);
                        boolean isShort = offset == PIECE_BYTES && offsets.size() <= 16;
                        return dfs.read(PATH, offset, isShort ? 1_000 : (int) arguments[2]);
                    }
                    return called.invoke(dfs, arguments);
                });
        LogReplay replay = new LogReplay(
                loop,
                stingy,
                new Manifest.Log(PATH, KeyRange.ALL, 0, LogPosition.FIRST_SEQUENCE),
                (record, behind) -> applied.add(record));

        assertThat(loop.call(() -> replay.to(length))).isCompletedWithValue(length);
        assertThat(offsets).contains(PIECE_BYTES + 1_000L);
        assertThat(applied).extracting(LogRecord::sequence).containsExactlyElementsOf(sequences(5_000));
    }

    @Test
    void aLogThatEndsBeforeItsSealedLengthIsAFailure() {
        long length = sealedLog(5_000);
        CompletableFuture<Long> done = loop.call(() -> replay.to(length + 1));
        assertThat(done)
                .isCompletedExceptionally()
                .failsWithin(Duration.ZERO)
                .withThrowableOfType(ExecutionException.class)
                .withMessageContaining("ends at " + length + ", before its sealed length " + (length + 1));
        assertThat(applied).extracting(LogRecord::sequence).containsExactlyElementsOf(sequences(5_000));
    }
}
