package cleave.server;

import static org.assertj.core.api.Assertions.assertThat;

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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class LogReplayTest {
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
}
