package cleave.board.frame;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a frame tells in words: events of the leader, the hottest ranges, diagnoses. Immutable. */
public record Told(List<Event> events, List<Hot> hottest, List<Note> notes) {
    public static final Told NOTHING = new Told(List.of(), List.of(), List.of());

    public Told {
        events = List.copyOf(events);
        hottest = List.copyOf(hottest);
        notes = List.copyOf(notes);
    }

    /**
     * Something that the leader decided or saw.
     *
     * @param n ascends
     * @param t milliseconds since 1970, by the leader's clock
     * @param handoff empty: it is about none
     * @param rejected what was not done instead, and why
     */
    public record Event(
            long n,
            long t,
            String kind,
            List<String> ranges,
            List<String> servers,
            String handoff,
            String reason,
            List<Figure> figures,
            List<String> rejected) {
        public Event {
            ranges = List.copyOf(ranges);
            servers = List.copyOf(servers);
            figures = List.copyOf(figures);
            rejected = List.copyOf(rejected);
        }
    }

    /**
     * One of the hottest ranges.
     *
     * @param from its lower bound; null: the beginning of the key space
     * @param to its upper bound; null: the end of the key space
     * @param entities a second, as the other rates; {@code cpu}, {@code queue} and {@code bytes} as in {@link Measure}
     * @param window that the rates are of, for people
     */
    public record Hot(
            long range,
            long table,
            @Nullable Cut from,
            @Nullable Cut to,
            String owner,
            long entities,
            long written,
            long read,
            long scanned,
            long cpu,
            long queue,
            long bytes,
            String window,
            @Nullable HotKey partition,
            List<Why> why) {
        public Hot {
            why = List.copyOf(why);
        }
    }

    /** @param part of the range's load, 0 to 1 */
    public record HotKey(Cut key, double part) {}

    /**
     * Why a range is not split, merged or moved now.
     *
     * @param of split, merge, move
     * @param reason a word
     * @param text a sentence
     */
    public record Why(String of, String reason, String text) {}

    /**
     * A diagnosis.
     *
     * @param range that it is about; 0: none
     * @param text a sentence
     * @param lab the name of a lab that shows it; empty: none
     * @param runbook the anchor of a section of docs/operations.md; empty: none
     */
    public record Note(String kind, long range, String text, String lab, String runbook) {}
}
