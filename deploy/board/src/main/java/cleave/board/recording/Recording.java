package cleave.board.recording;

import cleave.board.frame.Frame;
import cleave.board.frame.FrameLines;
import cleave.board.frame.FrameReader;
import cleave.board.frame.FrameWriter;
import cleave.board.frame.Header;
import cleave.model.Damaged;
import cleave.model.UnknownFormat;
import cleave.runtime.files.FileProblem;
import cleave.runtime.files.PrivateFiles;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A recording that is appended to. Confined to its owner.
 *
 * <p>A frame that cannot be written, as on a full disk, is left out, and {@link #trouble} says so until another one was. What was being written when
 * a process ended is cut off at the next start. The file is for its owner alone, since it may hold partition keys.
 */
public final class Recording implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(Recording.class);
    private static final long RETRY_MILLIS = 10_000;
    /** A file smaller than this is not worth being rewritten. */
    private static final long REWRITTEN_BYTES_MIN = 16 << 20;

    private final Path file;
    private final Opener opener;
    private Header header;
    private SeekableByteChannel channel;
    /** The byte behind the last line. */
    private long end;

    private long endWhenRewritten;
    private long lastN;
    private long lastAxis;
    /** The axis that a reader has at the end of the file; 0: it has to be told. */
    private long axisTold;

    private String trouble = "";
    private long troubleSince;

    /** Opens files for writing. */
    interface Opener {
        SeekableByteChannel open(Path file) throws IOException;

        Opener PRIVATE = file ->
                PrivateFiles.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    }

    private Recording(Path file, Header header, Opener opener) throws IOException {
        this.file = file;
        this.header = header;
        this.opener = opener;
        this.channel = opener.open(file);
    }

    /**
     * Opens or creates the file. {@link Unfit} if it is no recording, or not one that these frames could go on.
     *
     * @param mine what would be its first line; its cluster may not be known yet
     * @param past gets the frames that are there, oldest first
     */
    public static Recording open(Path file, Header mine, Consumer<Frame> past) throws IOException {
        return open(file, mine, past, Opener.PRIVATE);
    }

    static Recording open(Path file, Header mine, Consumer<Frame> past, Opener opener) throws IOException {
        Recording recording = new Recording(file, mine, opener);
        boolean isOpen = false;
        try {
            recording.load(past);
            isOpen = true;
            return recording;
        } finally {
            if (!isOpen) {
                recording.close();
            }
        }
    }

    private void load(Consumer<Frame> past) throws IOException {
        try (Lines lines = Lines.of(file, 0)) {
            byte[] first = lines.next();
            if (first == null) {
                begin();
                return;
            }
            Header its = FrameReader.header(first);
            refuseOther(its);
            end = lines.position();
            FrameReader reader = new FrameReader();
            for (byte[] line = lines.next(); line != null; line = lines.next()) {
                Frame frame = reader.frame(line);
                lastN = Math.max(lastN, frame.n());
                lastAxis = Math.max(lastAxis, frame.axis().id());
                past.accept(frame);
                end = lines.position();
            }
        } catch (UnknownFormat later) {
            throw UnknownFormat.at(file.toString(), later);
        } catch (Damaged damaged) {
            throw new Unfit(file + " is damaged behind byte " + end + " (" + damaged.getMessage()
                    + "); move it away, or give another");
        }
        cut();
        endWhenRewritten = end;
    }

    private void begin() throws IOException {
        if (Files.size(file) > 0 && !isBegunHeader()) {
            throw new Unfit(file + " is no recording; give another");
        }
        channel.truncate(0);
        end = 0;
        write(FrameWriter.line(header));
    }

    /** Whether the file holds nothing but the beginning of a first line, after which a process ended. */
    private boolean isBegunHeader() throws IOException {
        byte[] begin = Files.readAllBytes(file);
        byte[] whole = "{\"recording\":".getBytes(StandardCharsets.US_ASCII);
        int compared = Math.min(begin.length, whole.length);
        return Arrays.equals(begin, 0, compared, whole, 0, compared);
    }

    private void refuseOther(Header its) throws Unfit {
        boolean isOther = !its.cluster().isEmpty()
                && !header.cluster().isEmpty()
                && !its.cluster().equals(header.cluster());
        if (isOther) {
            throw new Unfit(file + " is the recording of cluster " + its.cluster() + ", and this is cluster "
                    + header.cluster() + "; give another file or folder");
        }
        if (its.hashed() != header.hashed()) {
            throw new Unfit(file + (its.hashed() ? " holds hashed keys" : " holds keys in the clear")
                    + ", which do not go together with the others; give another file or folder");
        }
        header = its.cluster().isEmpty() ? header : its;
    }

    private void cut() throws IOException {
        long size = Files.size(file);
        if (size > end) {
            LOG.warn("the end of a recording was torn and is cut off file={} bytes={}", file, size - end);
            channel.truncate(end);
        }
    }

    /** The cluster is known now. {@link Unfit} if the file is another's. */
    public void belongsTo(String cluster) throws IOException {
        if (header.cluster().isEmpty()) {
            header = new Header(header.by(), cluster, header.title(), header.hashed(), header.period());
            if (lastN == 0) {
                channel.truncate(0);
                end = 0;
                write(FrameWriter.line(header));
            }
        } else if (!header.cluster().equals(cluster)) {
            throw new Unfit(file + " is the recording of cluster " + header.cluster() + ", and this is cluster "
                    + cluster + "; give another file or folder");
        }
    }

    public Header header() {
        return header;
    }

    public Path file() {
        return file;
    }

    /** The highest number of its frames; 0: there are none. */
    public long lastN() {
        return lastN;
    }

    /** The highest id of its axes. */
    public long lastAxis() {
        return lastAxis;
    }

    /** Why frames are not recorded now; empty: they are. */
    public String trouble() {
        return trouble;
    }

    /**
     * Appends a frame. One that cannot be written is left out.
     *
     * @param line the frame as it is told to viewers, which is what is written, unless a reader of the file would lack its axis
     */
    public void append(Frame frame, byte[] line, boolean hasAxis) {
        if (!trouble.isEmpty() && frame.t() - troubleSince < RETRY_MILLIS && frame.t() >= troubleSince) {
            return;
        }
        boolean lacksAxis = !frame.isStale() && !hasAxis && frame.axis().id() != axisTold;
        try {
            write(lacksAxis ? FrameWriter.line(frame, true) : line);
            if (!trouble.isEmpty()) {
                LOG.info("the board records again file={}", file);
                trouble = "";
            }
            lastN = frame.n();
            lastAxis = Math.max(lastAxis, frame.axis().id());
            axisTold = frame.isStale() ? axisTold : frame.axis().id();
        } catch (IOException failed) {
            if (trouble.isEmpty()) {
                LOG.warn("the board goes on without recording file={}", file, failed);
            }
            trouble = file + ": " + FileProblem.text(failed);
            troubleSince = frame.t();
            axisTold = 0;
        }
    }

    private void write(byte[] line) throws IOException {
        ByteBuffer left =
                ByteBuffer.allocate(line.length + 1).put(line).put((byte) '\n').flip();
        channel.position(end);
        try {
            while (left.hasRemaining()) {
                channel.write(left);
            }
        } catch (IOException failed) {
            channel.truncate(end);
            throw failed;
        }
        end += line.length + 1;
    }

    /** True if the file has twice the size that it had when it was opened or rewritten. */
    public boolean hasDoubled() {
        return end > 2 * Math.max(endWhenRewritten, REWRITTEN_BYTES_MIN / 2);
    }

    /** Replaces all frames by these. If that fails the file stays as it is, and grows. */
    public void rewrite(List<Frame> frames) {
        Path written = file.resolveSibling(file.getFileName() + ".new");
        try {
            Files.deleteIfExists(written);
            Recording next = new Recording(written, header, opener);
            try {
                next.write(FrameWriter.line(header));
                FrameLines lines = new FrameLines();
                for (Frame frame : frames) {
                    next.write(lines.next(frame).bytes());
                }
                if (next.channel instanceof FileChannel synced) {
                    synced.force(true);
                }
            } finally {
                next.close();
            }
            Files.move(written, file, StandardCopyOption.ATOMIC_MOVE);
            take(next);
        } catch (IOException failed) {
            LOG.warn("a recording could not be rewritten in layers file={}", file, failed);
            remove(written);
            endWhenRewritten = end; // Tried again when it has doubled again.
        }
    }

    private void take(Recording rewritten) throws IOException {
        channel.close();
        channel = opener.open(file);
        end = rewritten.end;
        endWhenRewritten = end;
        axisTold = 0;
    }

    private static void remove(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException failed) {
            LOG.warn("a file is left behind file={}", file, failed);
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
