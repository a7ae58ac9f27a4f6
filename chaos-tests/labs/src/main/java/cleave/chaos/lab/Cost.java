package cleave.chaos.lab;

import cleave.client.Answer;
import cleave.client.Explain;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The cost of requests, as the client counted it and as the front end reports it in {@link Explain}, which it withholds from shared
 * access signatures. Immutable.
 *
 * @param roundTrips requests that were answered, whatever the answer; one that was repeated after 503 counts once
 * @param queryClass of the last query; empty if there was none
 * @param ranges ids of the ranges that were read or written
 * @param servers ids of the servers that own them
 * @param calls of the front end to servers
 * @param examined entities that servers examined
 * @param returned entities that the client received
 * @param sent bytes of bodies
 * @param received bytes of bodies
 */
public record Cost(
        long roundTrips,
        String queryClass,
        SortedSet<String> ranges,
        SortedSet<String> servers,
        long calls,
        long examined,
        long returned,
        long sent,
        long received) {
    /** The cost of no request. */
    public static final Cost NONE = new Cost(0, "", new TreeSet<>(), new TreeSet<>(), 0, 0, 0, 0, 0);

    /** The cost of one request, by its answer and the length of its body in bytes. */
    static Cost of(Answer answer, long sent) {
        Explain explain = Explain.of(answer);
        return explain == null
                ? new Cost(1, "", new TreeSet<>(), new TreeSet<>(), 0, 0, 0, sent, answer.body().length)
                : new Cost(
                        1,
                        explain.queryClass(),
                        new TreeSet<>(explain.ranges()),
                        new TreeSet<>(explain.servers()),
                        explain.calls(),
                        explain.examined(),
                        explain.returned(),
                        sent,
                        answer.body().length);
    }

    /** The cost of the requests of both; the other's are the later ones. */
    public Cost plus(Cost other) {
        return new Cost(
                roundTrips + other.roundTrips,
                other.queryClass.isEmpty() ? queryClass : other.queryClass,
                union(ranges, other.ranges),
                union(servers, other.servers),
                calls + other.calls,
                examined + other.examined,
                returned + other.returned,
                sent + other.sent,
                received + other.received);
    }

    private static SortedSet<String> union(SortedSet<String> one, SortedSet<String> other) {
        SortedSet<String> both = new TreeSet<>(one);
        both.addAll(other);
        return both;
    }
}
