package cleave.board.recording;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.board.Examples;
import cleave.board.frame.Axis;
import cleave.board.frame.Frame;
import cleave.board.frame.FrameLines;
import cleave.board.frame.FrameLines.Line;
import cleave.board.frame.Header;
import cleave.board.frame.Told.Event;
import cleave.model.UnknownFormat;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecordingTest {
    private final Axis axis = Examples.axis(3, "a");
    private final List<Frame> past = new ArrayList<>();
    private FrameLines lines = new FrameLines();

    @TempDir
    private Path folder;

    private Path file;

    @BeforeEach
    void name() {
        file = folder.resolve("board.jsonl");
    }

    private Recording open() throws IOException {
        past.clear();
        return Recording.open(file, Examples.HEADER, past::add);
    }

    private void append(Recording recording, Frame frame) {
        Line line = lines.next(frame);
        recording.append(frame, line.bytes(), line.hasAxis());
    }

    private void recorded(int from, int to) throws IOException {
        lines = new FrameLines();
        try (Recording recording = open()) {
            for (int n = from; n <= to; n++) {
                append(recording, Examples.frame(n, axis, n, 0));
            }
        }
    }

    @Test
    void whatWasAppendedIsThereAfterARestart() throws IOException {
        recorded(1, 3);
        recorded(4, 5);

        try (Recording recording = open()) {
            assertThat(past).extracting(Frame::n).containsExactly(1L, 2L, 3L, 4L, 5L);
            assertThat(recording.lastN()).isEqualTo(5);
            assertThat(recording.lastAxis()).isEqualTo(3);
        }
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
    }

    @Test
    void aTornEndIsCutOff() throws IOException {
        recorded(1, 2);
        Files.writeString(file, "{\"n\":3,\"t\":30", StandardOpenOption.APPEND);

        recorded(3, 3);

        open().close();
        assertThat(past).extracting(Frame::n).containsExactly(1L, 2L, 3L);
    }

    @Test
    void aTornFirstLineIsWrittenAnew() throws IOException {
        Files.writeString(file, "{\"recording\":1,\"by\":\"cl");

        recorded(1, 1);

        assertThat(Files.readAllLines(file)).hasSize(2);
    }

    @Test
    void anyOtherFileIsLeftAlone() throws IOException {
        Files.writeString(file, "my poems");

        assertThatThrownBy(this::open).isInstanceOf(Unfit.class).hasMessageContaining("is no recording");
        assertThat(file).hasContent("my poems");
    }

    @Test
    void damageInTheMidstIsNamedAndNothingIsChanged() throws IOException {
        recorded(1, 2);
        Files.writeString(file, "{broken}\n{\"n\":9}\n", StandardOpenOption.APPEND);
        String before = Files.readString(file);

        assertThatThrownBy(this::open).isInstanceOf(Unfit.class).hasMessageContaining("damaged behind byte");
        assertThat(file).hasContent(before);
    }

    @Test
    void theRecordingOfAnotherClusterIsRefused() throws IOException {
        recorded(1, 1);
        Header other = new Header("cleave test", "99999999-2222-3333-4444-555555555555", "", false, 1000);

        assertThatThrownBy(() -> Recording.open(file, other, past::add))
                .isInstanceOf(Unfit.class)
                .hasMessageContaining("the recording of cluster " + Examples.CLUSTER);
        Header unknown = new Header("cleave test", "", "", false, 1000);
        try (Recording recording = Recording.open(file, unknown, past::add)) {
            recording.belongsTo(Examples.CLUSTER);
            assertThatThrownBy(() -> recording.belongsTo(other.cluster())).isInstanceOf(Unfit.class);
        }
    }

    @Test
    void keysInTheClearAndHashedKeysDoNotMix() throws IOException {
        recorded(1, 1);

        assertThatThrownBy(() ->
                        Recording.open(file, new Header("cleave test", Examples.CLUSTER, "", true, 1000), past::add))
                .isInstanceOf(Unfit.class)
                .hasMessageContaining("keys in the clear");
    }

    @Test
    void aClusterThatBecomesKnownIsWritten() throws IOException {
        try (Recording recording = Recording.open(file, new Header("x", "", "", false, 1000), past::add)) {
            recording.belongsTo(Examples.CLUSTER);
        }

        assertThat(Files.readString(file)).contains(Examples.CLUSTER);
    }

    @Test
    void aLaterVersionIsNamed() throws IOException {
        Files.writeString(file, "{\"recording\":9}\n");

        assertThatThrownBy(this::open).isInstanceOf(UnknownFormat.class).hasMessageContaining("board.jsonl");
        assertThatThrownBy(() -> Replay.of(file)).isInstanceOf(UnknownFormat.class);
    }

    @Test
    void aFullDiskCostsFramesAndNothingElse() throws IOException {
        Disk disk = new Disk();
        try (Recording recording = Recording.open(file, Examples.HEADER, past::add, disk::open)) {
            append(recording, Examples.frame(1, axis, 1, 2));
            disk.left = 40;
            append(recording, Examples.frame(2, axis, 1, 2));
            assertThat(recording.trouble()).contains("board.jsonl", "No space left on device");
            disk.left = Long.MAX_VALUE;
            append(recording, Examples.frame(3, axis, 1, 2)); // Too soon for another attempt.
            assertThat(recording.trouble()).isNotEmpty();
            append(recording, Examples.frame(20, axis, 1, 2));
            assertThat(recording.trouble()).isEmpty();
        }

        open().close();
        assertThat(past).extracting(Frame::n).containsExactly(1L, 20L);
    }

    @Test
    void aRewrittenFileHasTheFramesGiven() throws IOException {
        recorded(1, 100);
        try (Recording recording = open()) {
            recording.rewrite(past.subList(90, 100));
            append(recording, Examples.frame(101, axis, 1, 2));
        }

        open().close();
        assertThat(past).extracting(Frame::n).hasSize(11).endsWith(100L, 101L);
        assertThat(folder.resolve("board.jsonl.new")).doesNotExist();
    }

    @Test
    void aFileThatCannotBeRewrittenStays() throws IOException {
        recorded(1, 100);
        Disk disk = new Disk();
        past.clear();
        try (Recording recording = Recording.open(file, Examples.HEADER, past::add, disk::open)) {
            disk.left = 500;
            recording.rewrite(past.subList(50, 100));
            disk.left = Long.MAX_VALUE;
            append(recording, Examples.frame(101, axis, 1, 2));
        }

        open().close();
        assertThat(past).hasSize(101);
        assertThat(folder.resolve("board.jsonl.new")).doesNotExist();
    }

    @Test
    void aRecordingIsPlayedFromAnyTime() throws IOException {
        recorded(1, 200);
        Files.writeString(file, "{\"n\":201", StandardOpenOption.APPEND);

        Replay replay = Replay.of(file);

        assertThat(replay.from()).isEqualTo(1000);
        assertThat(replay.to()).isEqualTo(200_000);
        assertThat(replay.at(77_999)).isEqualTo(Examples.frame(77, axis, 77, 0));
        assertThat(replay.at(0).n()).isEqualTo(1);
        assertThat(requireNonNull(replay.after(77_000)).n()).isEqualTo(78);
        assertThat(replay.after(200_000)).isNull();
        assertThat(replay.frames(100_000, 130_000))
                .extracting(Frame::n)
                .hasSize(30)
                .startsWith(101L);
        assertThat(replay.frames(-5, 500)).isEmpty();
        assertThat(replay.frames(110_000, 111_000)).containsExactly(Examples.frame(111, axis, 111, 0));
        assertThat(replay.at(120_000)).isEqualTo(Examples.frame(120, axis, 120, 0));
        assertThat(replay.events(-5, 300_000)).isEmpty();
    }

    @Test
    void eventsAreThoseOfTheFramesBetweenTwoTimes() throws IOException {
        try (Recording recording = open()) {
            for (int n = 1; n <= 3; n++) {
                append(recording, Examples.full(n));
            }
        }
        Replay replay = Replay.of(file);

        assertThat(replay.events(1000, 3000)).extracting(Event::t).containsExactly(2000L, 3000L);
        assertThat(replay.events(0, 1999)).extracting(Event::t).containsExactly(1000L);
        assertThat(replay.events(3000, 9000)).isEmpty();
    }

    @Test
    void whatHoldsNoFrameIsNotPlayed() throws IOException {
        Files.write(file, new byte[0]);
        assertThatThrownBy(() -> Replay.of(file)).isInstanceOf(Unfit.class);
        Files.writeString(file, "{\"recording\":1}\n");
        assertThatThrownBy(() -> Replay.of(file)).isInstanceOf(Unfit.class).hasMessageContaining("no frame");
        Files.write(file, "poems\n".getBytes(UTF_8));
        assertThatThrownBy(() -> Replay.of(file)).isInstanceOf(Unfit.class).hasMessageContaining("is no recording");
    }

    /** A disk that becomes full. */
    private static final class Disk {
        private long left = Long.MAX_VALUE;

        SeekableByteChannel open(Path path) throws IOException {
            SeekableByteChannel channel = Recording.Opener.PRIVATE.open(path);
            return new SeekableByteChannel() {
                @Override
                public int write(ByteBuffer bytes) throws IOException {
                    if (left == 0) {
                        throw new IOException("No space left on device");
                    }
                    int taken = (int) Math.min(left, bytes.remaining());
                    ByteBuffer part = bytes.slice(bytes.position(), taken);
                    bytes.position(bytes.position() + taken);
                    left -= taken;
                    return channel.write(part);
                }

                @Override
                public int read(ByteBuffer bytes) throws IOException {
                    return channel.read(bytes);
                }

                @Override
                public long position() throws IOException {
                    return channel.position();
                }

                @Override
                public SeekableByteChannel position(long at) throws IOException {
                    channel.position(at);
                    return this;
                }

                @Override
                public long size() throws IOException {
                    return channel.size();
                }

                @Override
                public SeekableByteChannel truncate(long size) throws IOException {
                    channel.truncate(size);
                    return this;
                }

                @Override
                public boolean isOpen() {
                    return channel.isOpen();
                }

                @Override
                public void close() throws IOException {
                    channel.close();
                }
            };
        }
    }
}
