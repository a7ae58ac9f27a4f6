package cleave.board.sight;

import cleave.board.scrape.Scrape;
import cleave.wire.Event;
import cleave.wire.HandoffState;
import cleave.wire.StatusReply;
import cleave.wire.WhyNot;
import java.util.List;
import java.util.Map;

/**
 * What was heard of a cluster at one moment. Immutable.
 *
 * @param status of the leader, with loads; the rows in key order
 * @param why by the id of a range why it is left alone, of those that were asked for
 * @param events that are newer than those of the moment before
 * @param scrapes the newest of each process
 * @param now milliseconds since 1970
 * @param span milliseconds since the moment before
 */
public record Seen(
        StatusReply status,
        Map<Long, List<WhyNot>> why,
        List<HandoffState> handoffs,
        List<Event> events,
        List<Scrape> scrapes,
        long now,
        long span) {
    public Seen {
        why = Map.copyOf(why);
        handoffs = List.copyOf(handoffs);
        events = List.copyOf(events);
        scrapes = List.copyOf(scrapes);
    }
}
