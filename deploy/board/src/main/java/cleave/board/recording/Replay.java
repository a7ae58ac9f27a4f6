package cleave.board.recording;

import cleave.board.frame.Frame;
import cleave.board.frame.FrameReader;
import cleave.board.frame.Header;
import cleave.model.Damaged;
import cleave.model.UnknownFormat;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A recording that is played back: what it shows at any of its times. Immutable, so thread-safe; each reading opens the file. A torn last
 * line is left out.
 */
public final class Replay {
    private final Path file;
    private final Header header;
    /** The end of each frame, ascending, where its line begins, and where the line begins from which it can be read. */
    private final long[] times;

    private final long[] places;
    private final long[] begins;

    private Replay(Path file, Header header, List<long[]> index) {
        this.file = file;
        this.header = header;
        this.times = index.stream().mapToLong(entry -> entry[0]).toArray();
        this.places = index.stream().mapToLong(entry -> entry[1]).toArray();
        this.begins = index.stream().mapToLong(entry -> entry[2]).toArray();
    }

    /** {@link Unfit} if it is no recording; UnknownFormat if it is one of a later version. */
    public static Replay of(Path file) throws IOException {
        try (Lines lines = Lines.of(file, 0)) {
            byte[] first = lines.next();
            if (first == null) {
                throw new Unfit(file + " is no recording: it has no first line");
            }
            Header header = FrameReader.header(first);
            List<long[]> index = new ArrayList<>();
            FrameReader reader = new FrameReader();
            long begin = lines.position();
            long place = lines.position();
            for (byte[] line = lines.next(); line != null; line = lines.next()) {
                Frame frame = reader.frame(line);
                begin = reader.hadAxis() ? place : begin;
                while (!index.isEmpty() && index.get(index.size() - 1)[0] >= frame.t()) {
                    index.remove(index.size() - 1); // The clock was set back.
                }
                index.add(new long[] {frame.t(), place, begin});
                place = lines.position();
            }
            if (index.isEmpty()) {
                throw new Unfit(file + " holds no frame");
            }
            return new Replay(file, header, index);
        } catch (UnknownFormat later) {
            throw UnknownFormat.at(file.toString(), later);
        } catch (Damaged damaged) {
            throw new Unfit(file + " is no recording, or is damaged: " + damaged.getMessage());
        }
    }

    public Header header() {
        return header;
    }

    /** The end of the first frame, and that of the last. */
    public long from() {
        return times[0];
    }

    public long to() {
        return times[times.length - 1];
    }

    /** The last frame that ends at or before a time; the first one, if all end later. */
    public Frame at(long t) throws IOException {
        return read(place(t), place(t) + 1).get(0);
    }

    /** The next frame after a time; null if there is none. */
    public @Nullable Frame after(long t) throws IOException {
        int next = t < times[0] ? 0 : place(t) + 1;
        return next == times.length ? null : read(next, next + 1).get(0);
    }

    /** The frames that end after one time and not after the other, oldest first. */
    public List<Frame> frames(long after, long until) throws IOException {
        int from = after < times[0] ? 0 : place(after) + 1;
        int to = until < times[0] ? 0 : place(until) + 1;
        return from >= to ? List.of() : read(from, to);
    }

    private int place(long t) {
        int found = Arrays.binarySearch(times, t);
        return found >= 0 ? found : Math.max(0, -found - 2);
    }

    private List<Frame> read(int from, int to) throws IOException {
        List<Frame> frames = new ArrayList<>();
        FrameReader reader = new FrameReader();
        try (Lines lines = Lines.of(file, begins[from])) {
            while (frames.size() < to - from) {
                long place = lines.position();
                byte[] line = lines.next();
                if (line == null) {
                    throw new IOException(file + " has become shorter");
                }
                Frame frame = reader.frame(line);
                int wanted = from + frames.size();
                if (place == places[wanted]) {
                    frames.add(frame);
                }
            }
        }
        return frames;
    }
}
