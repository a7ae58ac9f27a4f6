package cleave.board;

import cleave.board.frame.Frame;
import cleave.board.frame.Told;
import cleave.board.frame.Told.Event;
import cleave.board.history.View;
import cleave.board.http.Content;
import cleave.board.http.Unusable;
import cleave.board.recording.Replay;
import cleave.board.sight.RangeDetail;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A recording as the content of a board. Thread-safe. */
public final class Recorded implements Content {
    /** Events of this time before a moment are told with it. */
    private static final long EVENTS_MILLIS = 600_000;

    private static final int EVENTS_MAX = 200;

    private final Replay replay;
    private final String version;

    /** @param version of the program that shows it */
    public Recorded(Replay replay, String version) {
        this.replay = replay;
        this.version = version;
    }

    @Override
    public About about() {
        return new About(
                replay.header().cluster(),
                replay.header().title(),
                false,
                replay.header().hashed(),
                replay.from(),
                replay.to(),
                version,
                1);
    }

    @Override
    public View view(View.Query query, long windowMillis, @Nullable Long until) throws IOException {
        long end = until == null ? replay.to() : until;
        return View.of(
                replay.frames(end - windowMillis, end), query, replay.header().hashed());
    }

    @Override
    public CompletionStage<byte[]> range(Range range) {
        try {
            Frame frame = whole(range.t() == null ? replay.to() : range.t());
            long id = range.id() != 0
                    ? range.id()
                    : RangeDetail.idAt(
                            frame, range.table(), range.key(), replay.header().hashed());
            return CompletableFuture.completedFuture(RangeDetail.of(
                            frame, id, frame.told().events())
                    .orElseThrow(() -> new Unusable(404, "the recording does not tell this range apart at that time")));
        } catch (IOException failed) {
            return CompletableFuture.failedFuture(failed);
        }
    }

    @Override
    public CompletionStage<byte[]> settings() {
        return CompletableFuture.failedFuture(new Unusable(404, "a recording holds no settings"));
    }

    @Override
    public Frame whole(long t) throws IOException {
        Frame frame = replay.at(t);
        List<Event> events = replay.events(frame.t() - EVENTS_MILLIS, frame.t());
        List<Event> last = events.subList(Math.max(0, events.size() - EVENTS_MAX), events.size());
        return frame.withTold(
                new Told(last, frame.told().hottest(), frame.told().notes()));
    }

    @Override
    public @Nullable Frame after(long t) throws IOException {
        return replay.after(t);
    }
}
