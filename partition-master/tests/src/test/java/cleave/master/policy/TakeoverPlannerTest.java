package cleave.master.policy;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.master.policy.TakeoverPlanner.Candidate;
import cleave.master.policy.TakeoverPlanner.Choice;
import cleave.master.policy.TakeoverPlanner.Orphan;
import cleave.model.Incarnation;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class TakeoverPlannerTest {
    private static final Incarnation A = new Incarnation("a", 1);
    private static final Incarnation B = new Incarnation("b", 2);
    private static final Incarnation C = new Incarnation("c", 3);

    @Test
    void orphansAreSpreadEvenlyOverEqualServers() {
        List<Choice> choices = TakeoverPlanner.plan(orphans(9), List.of(idle(A, 0), idle(B, 0), idle(C, 0)), 8);
        assertThat(counts(choices)).containsOnly(Map.entry(A, 3L), Map.entry(B, 3L), Map.entry(C, 3L));
    }

    @Test
    void whoCarriesLessTakesMore() {
        List<Choice> choices = TakeoverPlanner.plan(orphans(4), List.of(idle(A, 5), idle(B, 1)), 8);
        assertThat(counts(choices)).containsOnly(Map.entry(B, 4L));
    }

    @Test
    void theHeaviestGoesFirstAndAlone() {
        List<Orphan> orphans = List.of(new Orphan(1, 1, null), new Orphan(2, 10, null), new Orphan(3, 1, null));
        List<Choice> choices = TakeoverPlanner.plan(orphans, List.of(idle(A, 0), idle(B, 0)), 8);
        assertThat(choices).containsExactly(new Choice(2, A), new Choice(1, B), new Choice(3, B));
    }

    @Test
    void aServerOpensOnlySoManyAtOnce() {
        List<Choice> choices = TakeoverPlanner.plan(orphans(20), List.of(idle(A, 0), new Candidate(B, 0, 6)), 8);
        assertThat(counts(choices)).containsOnly(Map.entry(A, 8L), Map.entry(B, 2L));
    }

    @Test
    void whoFailedIsAvoidedWhileThereIsAnother() {
        List<Orphan> orphans = List.of(new Orphan(1, 1, A));
        assertThat(TakeoverPlanner.plan(orphans, List.of(idle(A, 0), idle(B, 50)), 8))
                .containsExactly(new Choice(1, B));
        assertThat(TakeoverPlanner.plan(orphans, List.of(idle(A, 0)), 8)).containsExactly(new Choice(1, A));
    }

    @Test
    void withoutServersNothingIsChosen() {
        assertThat(TakeoverPlanner.plan(orphans(3), List.of(), 8)).isEmpty();
    }

    /** Few different weights, so that there are ties. */
    @Property(tries = 300)
    void eachOrphanGoesToTheFirstOfTheLeastLoaded(@ForAll long seed) {
        Random random = new Random(seed);
        List<Candidate> candidates = new ArrayList<>();
        for (int i = 0; i < random.nextInt(7); i++) {
            candidates.add(new Candidate(new Incarnation("s" + i, i), random.nextInt(4), random.nextInt(4)));
        }
        List<Orphan> orphans = new ArrayList<>();
        for (int i = 0; i < random.nextInt(30); i++) {
            orphans.add(new Orphan(i, random.nextInt(3), failedAt(random)));
        }
        assertThat(TakeoverPlanner.plan(orphans, candidates, 4)).isEqualTo(byScanning(orphans, candidates, 4));
    }

    private static Incarnation failedAt(Random random) {
        int server = random.nextInt(8);
        return new Incarnation("s" + server, server);
    }

    private static List<Choice> byScanning(List<Orphan> orphans, List<Candidate> candidates, int openingMax) {
        List<Orphan> heaviestFirst = new ArrayList<>(orphans);
        heaviestFirst.sort(Comparator.comparingDouble(Orphan::weight).reversed().thenComparing(Orphan::range));
        List<Candidate> now = new ArrayList<>(candidates);
        List<Choice> choices = new ArrayList<>();
        for (Orphan orphan : heaviestFirst) {
            int least = -1;
            for (int i = 0; i < now.size(); i++) {
                Candidate each = now.get(i);
                boolean failed = each.incarnation().equals(orphan.failedAt()) && now.size() > 1;
                if (!failed
                        && each.opening() < openingMax
                        && (least < 0 || each.weight() < now.get(least).weight())) {
                    least = i;
                }
            }
            if (least >= 0) {
                Candidate taker = now.get(least);
                choices.add(new Choice(orphan.range(), taker.incarnation()));
                now.set(
                        least,
                        new Candidate(taker.incarnation(), taker.weight() + orphan.weight(), taker.opening() + 1));
            }
        }
        return choices;
    }

    private static Candidate idle(Incarnation incarnation, double weight) {
        return new Candidate(incarnation, weight, 0);
    }

    private static List<Orphan> orphans(int count) {
        List<Orphan> orphans = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            orphans.add(new Orphan(i, 1, null));
        }
        return orphans;
    }

    private static Map<Incarnation, Long> counts(List<Choice> choices) {
        return choices.stream().collect(Collectors.groupingBy(Choice::taker, Collectors.counting()));
    }
}
