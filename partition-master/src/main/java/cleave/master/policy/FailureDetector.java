package cleave.master.policy;

import cleave.model.Incarnation;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Decides which servers to declare dead, from their heartbeats and from what is known of their processes. Not thread-safe: the master loop
 * owns it.
 *
 * <p>Silence counts only while the leader itself ran: a new leader, or one whose tick came late, treats every server as
 * just heard. If most servers fall silent at once, the leader is probably cut off itself, so it requires a proof (a
 * replicated no-op) and then waits one more period. A wrong decision costs a short pause; safety never depends on this
 * class.
 */
public final class FailureDetector {
    private static final long NEVER = Long.MIN_VALUE;

    private final Timing timing;
    private final TreeMap<Incarnation, Hearing> hearings = new TreeMap<>();
    private long lastTick = NEVER;
    private long provedAt = NEVER;

    public FailureDetector(Timing timing) {
        this.timing = timing;
    }

    /**
     * @param suspectNanos silence after which a server is declared dead
     * @param graceNanos the same for one whose stream broke
     * @param lateNanos a tick is late if it comes this long after the one before
     */
    public record Timing(long suspectNanos, long graceNanos, long lateNanos) {}

    /**
     * @param dead servers to be declared dead, in order
     * @param proofWanted most servers are silent: the caller must prove that a command can be replicated, then call
     *     {@link #proved}
     */
    public record Silence(List<Incarnation> dead, boolean proofWanted) {
        public Silence {
            dead = List.copyOf(dead);
        }
    }

    /** When a server was last heard, when its stream has broken since then, and whether its process is known to have ended. */
    private record Hearing(long at, @Nullable Long brokenAt, boolean isGone) {
        Hearing(long at, @Nullable Long brokenAt) {
            this(at, brokenAt, false);
        }
    }

    /** Starts a new leadership: every server counts as just heard. */
    public void begin(long now) {
        hearings.clear();
        lastTick = now;
        provedAt = NEVER;
    }

    public void heard(Incarnation incarnation, long now) {
        hearings.put(incarnation, new Hearing(now, null));
    }

    /** The stream of a server broke, and it has no other. */
    public void broken(Incarnation incarnation, long now) {
        Hearing last = hearings.get(incarnation);
        hearings.put(incarnation, new Hearing(last == null ? now : last.at(), now));
    }

    /** True if the stream of a server broke at that time, it was not heard since then, and may still come back. */
    public boolean waitsFor(Incarnation incarnation, long brokenAt) {
        Hearing last = hearings.get(incarnation);
        return last != null && Objects.equals(last.brokenAt(), brokenAt) && !last.isGone();
    }

    /** The process of a server that {@linkplain #waitsFor is waited for} has ended: it will not come back. */
    public void gone(Incarnation incarnation) {
        hearings.computeIfPresent(incarnation, (same, last) -> new Hearing(last.at(), last.brokenAt(), true));
    }

    /** True if its process is known to have ended. */
    public boolean isGone(Incarnation incarnation) {
        Hearing last = hearings.get(incarnation);
        return last != null && last.isGone();
    }

    /** Notes that a command was answered that had been proposed after a proof was wanted. */
    public void proved(long now) {
        provedAt = now;
    }

    /** Must be called every tick, with the live incarnations. */
    public Silence judge(Collection<Incarnation> live, long now) {
        if (lastTick != NEVER && now - lastTick >= timing.lateNanos()) {
            hearEveryone(now);
        }
        lastTick = now;
        return judgeAgain(live, now);
    }

    /** The same between two ticks, whose distance shows whether the leader itself ran. */
    public Silence judgeAgain(Collection<Incarnation> live, long now) {
        hearings.keySet().retainAll(new HashSet<>(live));
        List<Incarnation> silent = new ArrayList<>();
        int lost = 0;
        for (Incarnation incarnation : live) {
            Hearing hearing = hearings.computeIfAbsent(incarnation, unknown -> new Hearing(now, null));
            boolean isSilent = isSilent(hearing, now);
            if (isSilent) {
                silent.add(incarnation);
            }
            lost += isSilent || hearing.brokenAt() != null ? 1 : 0;
        }
        // Who is still waited for counts, because servers that are lost together are not found out at the same moment.
        return lost * 2 > live.size() && !silent.isEmpty() ? massSilence(silent, now) : fewSilent(silent);
    }

    private void hearEveryone(long now) {
        hearings.replaceAll(
                (incarnation, hearing) -> new Hearing(now, hearing.brokenAt() == null ? null : now, hearing.isGone()));
        provedAt = NEVER;
    }

    private boolean isSilent(Hearing hearing, long now) {
        Long brokenAt = hearing.brokenAt();
        return hearing.isGone()
                || now - hearing.at() >= timing.suspectNanos()
                || (brokenAt != null && now - brokenAt >= timing.graceNanos());
    }

    private Silence fewSilent(List<Incarnation> silent) {
        provedAt = NEVER;
        return new Silence(silent, false);
    }

    private Silence massSilence(List<Incarnation> silent, long now) {
        if (provedAt == NEVER) {
            return new Silence(List.of(), true);
        }
        boolean waitedOnePeriodMore = now - provedAt >= timing.suspectNanos();
        return new Silence(waitedOnePeriodMore ? silent : List.of(), false);
    }
}
