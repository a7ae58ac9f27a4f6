package cleave.master.policy;

import cleave.model.Incarnation;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Chooses new owners for ranges without a live one: the heaviest range first, each for the server with the least load
 * at that time, with a bound on how many a server opens at once. Stateless.
 */
public final class TakeoverPlanner {
    private TakeoverPlanner() {}

    /**
     * A range without a live owner.
     *
     * @param weight predicted load, in the unit of {@link Candidate#weight}
     * @param failedAt the server that last failed to open it; another one is preferred
     */
    public record Orphan(
            long range, double weight, @Nullable Incarnation failedAt) {}

    /**
     * A server that can take more ranges.
     *
     * @param weight its present load, including orders under way
     * @param opening orders under way
     */
    public record Candidate(Incarnation incarnation, double weight, int opening) {}

    public record Choice(long range, Incarnation taker) {}

    /** Choices for as many of the orphans as the candidates may open at once. */
    public static List<Choice> plan(List<Orphan> orphans, List<Candidate> candidates, int openingMax) {
        TreeSet<Candidate> free =
                new TreeSet<>(Comparator.comparingDouble(Candidate::weight).thenComparing(Candidate::incarnation));
        for (Candidate candidate : candidates) {
            if (candidate.opening() < openingMax) {
                free.add(candidate);
            }
        }
        List<Orphan> heaviestFirst = new ArrayList<>(orphans);
        heaviestFirst.sort(Comparator.comparingDouble(Orphan::weight).reversed().thenComparing(Orphan::range));
        List<Choice> choices = new ArrayList<>();
        for (Orphan orphan : heaviestFirst) {
            Candidate taker = least(free, candidates.size(), orphan);
            if (taker != null) {
                choices.add(new Choice(orphan.range(), taker.incarnation()));
                give(free, taker, orphan, openingMax);
            }
        }
        return choices;
    }

    /** @param free by ascending weight, and then in the order of incarnations */
    private static @Nullable Candidate least(SortedSet<Candidate> free, int candidates, Orphan orphan) {
        for (Candidate candidate : free) {
            boolean failedBefore = candidate.incarnation().equals(orphan.failedAt()) && candidates > 1;
            if (!failedBefore) {
                return candidate;
            }
        }
        return null;
    }

    private static void give(SortedSet<Candidate> free, Candidate taker, Orphan orphan, int openingMax) {
        free.remove(taker);
        Candidate after = new Candidate(taker.incarnation(), taker.weight() + orphan.weight(), taker.opening() + 1);
        if (after.opening() < openingMax) {
            free.add(after);
        }
    }
}
