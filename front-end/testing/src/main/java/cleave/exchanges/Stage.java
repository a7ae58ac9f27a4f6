package cleave.exchanges;

import java.io.IOException;
import java.time.Instant;
import java.util.List;

/** The server as one scene meets it. Confined to that scene. */
public interface Stage {
    /**
     * An answer. Immutable.
     *
     * @param status code and reason
     * @param headers lines in their order
     */
    record Answered(String status, List<String> headers, String body) {}

    /** Sends one request, as it stands on the wire. */
    Answered exchange(byte[] request) throws IOException;

    /** The scene is prepared; its first exchange is to come. */
    default void prepared() {}

    /** By the server's clock. */
    default Instant now() {
        return Instant.now();
    }
}
