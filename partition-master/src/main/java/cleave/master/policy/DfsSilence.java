package cleave.master.policy;

import cleave.master.state.Server;
import cleave.model.Incarnation;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Decides which servers to declare dead because they are cut off from the DFS, from what their heartbeats say of it. Not thread-safe: the
 * master loop owns it.
 *
 * <p>A server's own word is not enough. If the DFS itself fails, it answers no server, so no other could serve the ranges; and when it
 * returns, servers reach it one after the other. So at least half of all live servers must have been answered for the whole
 * limit, and one of them must not be draining. A wrong decision costs a short pause; safety never depends on this
 * class.
 *
 * <p>A server that owns nothing is never declared dead for this: there is nothing to take over. It only gets no ranges. Nor does one that
 * was declared dead, until the DFS has answered it for the limit, so that a poor connection does not cost it its ranges again
 * and again.
 */
public final class DfsSilence {
    /** What a server reports that does not know. */
    public static final long UNTOLD = -1;

    private static final long NEVER = Long.MIN_VALUE;
    private static final long NANOS_PER_SECOND = 1_000_000_000;

    private final Timing timing;
    /** The last report of each server, by its id. */
    private final TreeMap<String, Report> reports = new TreeMap<>();
    /** The ids of servers that were declared dead, until they may have ranges again. */
    private final TreeSet<String> resting = new TreeSet<>();

    public DfsSilence(Timing timing) {
        this.timing = timing;
    }

    /**
     * @param limitNanos silence of the DFS after which a server is declared dead; half of it counts as no answer
     * @param staleNanos how long a report counts
     */
    public record Timing(long limitNanos, long staleNanos) {}

    /**
     * @param silentNanos for how long the DFS had not answered the server
     * @param answeredSince since when all its reports said that the DFS answers; {@link #NEVER} if the last one did not
     */
    private record Report(Incarnation incarnation, long at, long silentNanos, long answeredSince) {
        boolean isFresh(Incarnation of, long now, Timing timing) {
            return incarnation.equals(of) && now - at < timing.staleNanos();
        }

        boolean wasAnsweredFor(long nanos) {
            return answeredSince != NEVER && at - answeredSince >= nanos;
        }
    }

    /** @param silentNanos for how long the DFS has not answered the server; 0 if it answers, or {@link #UNTOLD} */
    public void heard(Incarnation incarnation, long silentNanos, long now) {
        String server = incarnation.server();
        if (silentNanos < 0) {
            reports.remove(server);
            resting.remove(server);
            return;
        }
        Report last = reports.get(server);
        long answeredSince;
        if (silentNanos >= unansweredNanos()) {
            answeredSince = NEVER;
        } else if (last != null && last.answeredSince() != NEVER && last.isFresh(incarnation, now, timing)) {
            answeredSince = last.answeredSince();
        } else {
            answeredSince = now;
        }
        Report report = new Report(incarnation, now, silentNanos, answeredSince);
        reports.put(server, report);
        if (report.wasAnsweredFor(timing.limitNanos())) {
            resting.remove(server);
        }
    }

    private long unansweredNanos() {
        return timing.limitNanos() / 2;
    }

    /** Why a server gets no ranges, a clause about it; null if it may have some. */
    public @Nullable String problem(Incarnation incarnation) {
        Report report = reports.get(incarnation.server());
        if (report != null && report.incarnation().equals(incarnation) && report.answeredSince() == NEVER) {
            return "the DFS has not answered it for " + report.silentNanos() / NANOS_PER_SECOND + " s";
        }
        return resting.contains(incarnation.server())
                ? "it was cut off from the DFS, which has not yet answered it again for "
                        + timing.limitNanos() / NANOS_PER_SECOND + " s"
                : null;
    }

    /**
     * The servers to declare dead, in order. Must be called every tick.
     *
     * @param owns true for the servers that own ranges
     */
    public List<Incarnation> cutOff(Collection<Server> live, Predicate<Incarnation> owns, long now) {
        reports.keySet()
                .retainAll(live.stream()
                        .map(server -> server.incarnation().server())
                        .collect(Collectors.toCollection(TreeSet::new)));
        List<Incarnation> silent = new ArrayList<>();
        int answered = 0;
        boolean isTaker = false;
        for (Server server : live) {
            Incarnation incarnation = server.incarnation();
            Report report = reports.get(incarnation.server());
            if (report == null || !report.isFresh(incarnation, now, timing)) {
                continue;
            }
            if (report.wasAnsweredFor(timing.limitNanos())) {
                answered++;
                isTaker |= !server.draining();
            } else if (report.silentNanos() >= timing.limitNanos() && owns.test(incarnation)) {
                silent.add(incarnation);
            }
        }
        if (!isTaker || answered * 2 < live.size()) {
            return List.of();
        }
        silent.forEach(incarnation -> resting.add(incarnation.server()));
        return List.copyOf(silent);
    }

    /** This master no longer leads. */
    public void clear() {
        reports.clear();
        resting.clear();
    }
}
