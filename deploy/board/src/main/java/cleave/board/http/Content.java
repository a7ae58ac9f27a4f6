package cleave.board.http;

import cleave.board.frame.Frame;
import cleave.board.history.View;
import java.io.IOException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** What a board's server shows: a cluster, or a recording. Called on threads of the server that may wait. */
public interface Content {
    /**
     * @param n of the newest frame; 0: there is none
     * @param from the first time that is known, milliseconds since 1970; 0 if there is none
     */
    record About(
            String cluster, String title, boolean live, boolean hashed, long from, long to, String version, long n) {}

    About about();

    /** @param until null: now, or the end of the recording */
    View view(View.Query query, long windowMillis, @Nullable Long until) throws IOException;

    /** A range: its bounds, its load and why it stays as it is, as one JSON object. {@link Unusable} if there is none. */
    CompletionStage<byte[]> range(Range range);

    /** The settings of the balancer, as one JSON object. {@link Unusable} if they are not known. */
    CompletionStage<byte[]> settings();

    /** The frame of a time, with the last events before it; null: there is none. */
    @Nullable
    Frame whole(long t) throws IOException;

    /** The next frame of a recording behind a time; null: there is none (yet). */
    @Nullable
    Frame after(long t) throws IOException;

    /**
     * Which range is asked for: the one with an id, or that in which a partition lies.
     *
     * @param id 0: by table and key
     * @param t the moment of a recording; null: the newest
     */
    record Range(long id, long table, String key, @Nullable Long t) {}
}
