package cleave.master.raft;

import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * How long members have been silent, and when to log it: at each change, and then at doubling intervals. Confined to
 * its owner.
 */
final class Silences {
    private static final int DOUBLINGS_MAX = 8;

    private final long intervalMillis;
    private final Map<String, Silence> silences = new TreeMap<>();

    /** The line to log. */
    enum Report {
        NOTHING,
        SILENT,
        STILL_SILENT,
        ANSWERS_AGAIN
    }

    /** The silence of one member. */
    enum Sign {
        SILENT,
        ANSWERS,
        NONE
    }

    private static final class Silence {
        private final long since;
        private long reportAt;
        private int reports;

        Silence(long now) {
            since = now;
            reportAt = now;
        }
    }

    /** @param intervalMillis minimum time between the first and the second report */
    Silences(long intervalMillis) {
        this.intervalMillis = intervalMillis;
    }

    /** Called when a silent member gets a new connection. */
    Report silent(String member, long nowMillis) {
        Silence silence = silences.computeIfAbsent(member, its -> new Silence(nowMillis));
        if (nowMillis < silence.reportAt) {
            return Report.NOTHING;
        }
        silence.reportAt = nowMillis + (intervalMillis << Math.min(silence.reports, DOUBLINGS_MAX));
        silence.reports++;
        return silence.reports == 1 ? Report.SILENT : Report.STILL_SILENT;
    }

    /** Called when a member answers. */
    Report answers(String member) {
        return silences.remove(member) == null ? Report.NOTHING : Report.ANSWERS_AGAIN;
    }

    /**
     * The silence of another member as seen by a follower, which hears only the leader.
     *
     * @param leader null if none is known
     */
    static Sign ofOther(String member, @Nullable String leader) {
        if (leader == null) {
            return Sign.SILENT;
        }
        return member.equals(leader) ? Sign.ANSWERS : Sign.NONE;
    }

    /** Called when a member's state is no longer known; it may still be silent. */
    void forget(String member) {
        silences.remove(member);
    }

    /** How long a member has been silent; 0 if it is not. */
    long millis(String member, long nowMillis) {
        Silence silence = silences.get(member);
        return silence == null ? 0 : nowMillis - silence.since;
    }
}
