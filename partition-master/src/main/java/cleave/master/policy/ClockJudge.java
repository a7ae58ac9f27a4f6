package cleave.master.policy;

import cleave.model.Incarnation;
import java.util.Arrays;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Decides whose clock is wrong, from the difference between each server's clock and the leader's. Not thread-safe: the
 * master loop owns it.
 *
 * <p>A clock is off when it differs by more than the bound, until it differs by less than four fifths of that. If more than half of
 * all clocks, the leader's included, agree with each other and not with the leader's, then the leader's is off and no server's.
 */
public final class ClockJudge {
    private final long boundTicks;
    private Findings last = Findings.ALL_RIGHT;

    /**
     * Immutable.
     *
     * @param leaderAhead how far the leader's clock is ahead of the time that most clocks agree on, in ticks; 0 if it is not off
     * @param aheads how far each server's is ahead of that time
     * @param off the servers whose clocks are off
     */
    public record Findings(long leaderAhead, SortedMap<Incarnation, Long> aheads, SortedSet<Incarnation> off) {
        public static final Findings ALL_RIGHT =
                new Findings(0, Collections.emptySortedMap(), Collections.emptySortedSet());

        public Findings {
            aheads = Collections.unmodifiableSortedMap(new TreeMap<>(aheads));
            off = Collections.unmodifiableSortedSet(new TreeSet<>(off));
        }
    }

    public ClockJudge(long boundTicks) {
        this.boundTicks = boundTicks;
    }

    /** Starts a new leadership, without observations. */
    public void begin() {
        last = Findings.ALL_RIGHT;
    }

    /** @param ofLeader how far each server's clock is ahead of the leader's, in ticks */
    public Findings judge(SortedMap<Incarnation, Long> ofLeader) {
        long median = median(ofLeader);
        boolean leaderOff = isOff(median, last.leaderAhead() != 0) && mostAgreeOn(median, ofLeader);
        TreeMap<Incarnation, Long> aheads = new TreeMap<>();
        TreeSet<Incarnation> off = new TreeSet<>();
        for (Map.Entry<Incarnation, Long> server : ofLeader.entrySet()) {
            long ahead = server.getValue() - (leaderOff ? median : 0);
            aheads.put(server.getKey(), ahead);
            if (!leaderOff && isOff(ahead, last.off().contains(server.getKey()))) {
                off.add(server.getKey());
            }
        }
        last = new Findings(leaderOff ? -median : 0, aheads, off);
        return last;
    }

    private boolean isOff(long ahead, boolean wasOff) {
        return Math.abs(ahead) > (wasOff ? boundTicks / 5 * 4 : boundTicks);
    }

    /** The median of all clocks including the leader's; of two in the middle, the one nearer to the leader's. */
    private static long median(SortedMap<Incarnation, Long> ofLeader) {
        long[] all = new long[ofLeader.size() + 1]; // The last one is the leader's.
        int count = 0;
        for (long ahead : ofLeader.values()) {
            all[count++] = ahead;
        }
        Arrays.sort(all);
        long lower = all[(all.length - 1) / 2];
        long upper = all[all.length / 2];
        return Math.abs(lower) <= Math.abs(upper) ? lower : upper;
    }

    private boolean mostAgreeOn(long median, SortedMap<Incarnation, Long> ofLeader) {
        long agreeing = ofLeader.values().stream()
                .filter(ahead -> Math.abs(ahead - median) <= boundTicks)
                .count();
        return agreeing * 2 > ofLeader.size() + 1;
    }
}
