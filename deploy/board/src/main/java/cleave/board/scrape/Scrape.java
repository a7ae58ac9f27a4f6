package cleave.board.scrape;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a process told of itself. Immutable.
 *
 * @param target whom was asked
 * @param t when it answered or failed to, milliseconds since 1970
 * @param metrics null: it did not answer
 */
public record Scrape(Target target, long t, @Nullable Metrics metrics) {
    /** The kinds of processes whose metrics a board reads. */
    public enum Kind {
        SERVER("server"),
        FRONT_END("front-end"),
        DFS("dfs"),
        BOOKIE("bookie");

        private final String word;

        Kind(String word) {
            this.word = word;
        }

        public String word() {
            return word;
        }

        public static List<String> words() {
            return List.of(SERVER.word, FRONT_END.word, DFS.word, BOOKIE.word);
        }
    }

    /**
     * A process.
     *
     * @param id its name on the board
     * @param admin {@code host:port} of its metrics
     */
    public record Target(Kind kind, String id, String admin) {}

    public boolean isUp() {
        return metrics != null;
    }
}
