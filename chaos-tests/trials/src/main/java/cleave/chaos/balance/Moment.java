package cleave.chaos.balance;

import java.util.Collections;
import java.util.Locale;
import java.util.SortedMap;
import java.util.StringJoiner;
import java.util.TreeMap;

/**
 * The ranges and load of every server at one time, as seen by the leader. Immutable.
 *
 * @param seconds since the load began; negative before that
 * @param servers every server, including those without ranges
 */
record Moment(double seconds, SortedMap<String, Share> servers) {
    Moment {
        servers = Collections.unmodifiableSortedMap(new TreeMap<>(servers));
    }

    /** The number of ranges of a server and its load in entities per second. */
    record Share(int ranges, double entities) {
        static final Share NOTHING = new Share(0, 0);

        Share with(double more) {
            return new Share(ranges + 1, entities + more);
        }
    }

    Share share(String server) {
        return servers.getOrDefault(server, Share.NOTHING);
    }

    int ranges() {
        return servers.values().stream().mapToInt(Share::ranges).sum();
    }

    double entities() {
        return servers.values().stream().mapToDouble(Share::entities).sum();
    }

    /** Servers that own a range. */
    int owners() {
        return (int)
                servers.values().stream().filter(share -> share.ranges() > 0).count();
    }

    @Override
    public String toString() {
        StringJoiner each = new StringJoiner(", ");
        servers.forEach((server, share) ->
                each.add(String.format(Locale.ROOT, "%s %d with %,.0f/s", server, share.ranges(), share.entities())));
        return String.format(Locale.ROOT, "%6.1f s  %d ranges: %s", seconds, ranges(), each);
    }
}
