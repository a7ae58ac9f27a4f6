package cleave.board.recording;

import cleave.board.frame.Frame;
import cleave.board.frame.FrameReader;
import cleave.board.frame.Header;
import cleave.board.frame.Told.Event;
import cleave.model.Damaged;
import cleave.model.UnknownFormat;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A recording that is played back: what it shows at any of its times. Thread-safe. It keeps the events, and the frames that were read last if they
 * are few; each other reading opens the file. A torn last line is left out.
 */
public final class Replay {
    /** Some more than a board keeps in its layers. */
    private static final int KEPT_MAX = 1_500;

    private final Path file;
    private final Header header;
    /** The end of each frame, ascending, where its line begins, and where the line begins from which it can be read. */
    private final long[] times;

    private final long[] places;
    private final long[] begins;
    private final List<List<Event>> events;
    private volatile Kept kept = new Kept(0, List.of());

    private record Entry(long t, long place, long begin, List<Event> events) {}

    /** Frames, of which the first has this ordinal in the file. */
    private record Kept(int from, List<Frame> frames) {
        boolean covers(int first, int end) {
            return first >= from && end <= from + frames.size();
        }
    }

    private Replay(Path file, Header header, List<Entry> index) {
        this.file = file;
        this.header = header;
        this.times = index.stream().mapToLong(Entry::t).toArray();
        this.places = index.stream().mapToLong(Entry::place).toArray();
        this.begins = index.stream().mapToLong(Entry::begin).toArray();
        this.events = index.stream().map(Entry::events).toList();
    }

    /** {@link Unfit} if it is no recording; UnknownFormat if it is one of a later version. */
    public static Replay of(Path file) throws IOException {
        try (Lines lines = Lines.of(file, 0)) {
            byte[] first = lines.next();
            if (first == null) {
                throw new Unfit(file + " is no recording: it has no first line");
            }
            Header header = FrameReader.header(first);
            List<Entry> index = new ArrayList<>();
            FrameReader reader = new FrameReader();
            long begin = lines.position();
            long place = lines.position();
            for (byte[] line = lines.next(); line != null; line = lines.next()) {
                Frame frame = reader.frame(line);
                begin = reader.hadAxis() ? place : begin;
                while (!index.isEmpty() && index.get(index.size() - 1).t() >= frame.t()) {
                    index.remove(index.size() - 1); // The clock was set back.
                }
                index.add(new Entry(frame.t(), place, begin, frame.told().events()));
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
        int next = next(t);
        return next == times.length ? null : read(next, next + 1).get(0);
    }

    /** The frames that end after one time and not after the other, oldest first. */
    public List<Frame> frames(long after, long until) throws IOException {
        int from = next(after);
        int to = next(until);
        if (from >= to) {
            return List.of();
        }
        List<Frame> frames = read(from, to);
        if (frames.size() <= KEPT_MAX && !kept.covers(from, to)) {
            kept = new Kept(from, frames);
        }
        return frames;
    }

    /** The events that are told by these frames, oldest first. */
    public List<Event> events(long after, long until) {
        int from = next(after);
        return events.subList(from, Math.max(from, next(until))).stream()
                .flatMap(List::stream)
                .toList();
    }

    /** The first frame that ends after a time. */
    private int next(long t) {
        return t < times[0] ? 0 : place(t) + 1;
    }

    private int place(long t) {
        int found = Arrays.binarySearch(times, t);
        return found >= 0 ? found : Math.max(0, -found - 2);
    }

    private List<Frame> read(int from, int to) throws IOException {
        Kept near = kept;
        if (near.covers(from, to)) {
            return near.frames().subList(from - near.from(), to - near.from());
        }
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
