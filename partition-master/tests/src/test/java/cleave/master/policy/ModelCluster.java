package cleave.master.policy;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.master.state.BalancerSettings;
import cleave.master.state.Maps;
import cleave.model.Incarnation;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.Row;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A cluster in which partitions are asked for so much a second, decisions are carried out within two seconds, and loads are
 * measured as servers measure them. Every decision is held against the rules that all of them must keep to.
 */
final class ModelCluster {
    static final long SECOND = 1_000_000_000L;
    private static final long TABLE = 7;
    private static final long HANDOFF_NANOS = 2 * SECOND;

    /** Entities a second, by the bound before a partition. */
    final TreeMap<Key, Double> rates = new TreeMap<>();

    final TreeMap<Key, Long> bytes = new TreeMap<>();
    final TreeMap<Incarnation, ClusterView.Server> servers = new TreeMap<>();
    /** Everything decided, in order. */
    final List<Decision> decisions = new ArrayList<>();

    BalancerSettings settings = BalancerSettings.DEFAULT;
    /** Amplitude of what the measured rates of a second differ by from the true ones. */
    double noise;
    /** Entities per request of requests that arrive at random; 0: the load is even. */
    int arrivals;
    /** Reports of servers are late, and some are lost. */
    boolean staggered;
    /** Where inserts go; null: nobody knows. */
    Load.@Nullable End end;
    /** Bounds see all the load on one side of them, as where it runs ahead of them. */
    boolean candidatesOnOneSide;

    /** Owners refuse every handoff. */
    boolean handoffsFail;
    /** The share of the ranges that their owners do not report as served, in each second. */
    double unreported;
    /** Every explanation is checked, and not only those of some seconds. */
    boolean explains;
    /** What stood against anything. */
    final Set<WhyNot.Reason> reasons = EnumSet.noneOf(WhyNot.Reason.class);

    private final Random random;
    private final RangeIndex ranges = new RangeIndex();
    /** The same without an index: it must lead to the same decisions. */
    private EveryRange every = EveryRange.NONE;
    /** As the balancer saw them last. */
    private Map<Long, Load> seen = new TreeMap<>();

    private Explanation explanation = Explanation.NONE;
    private final TreeMap<Key, Row> rows = new TreeMap<>();
    private final TreeMap<Long, Meter> meters = new TreeMap<>();
    private final TreeMap<Long, Reported> reported = new TreeMap<>();
    private final List<Running> running = new ArrayList<>();
    private long index = 1000;
    long now = 50 * SECOND;
    private final long leaderSince = now;

    private record Running(HandoffPlan plan, long endNanos) {}

    private record Reported(Load load, long nanos) {}

    /** The averages of one range under one owner. */
    private static final class Meter {
        private double fast;
        private double slow;
        private double age;

        void count(double rate) {
            age++;
            fast += Math.max(0.5, 1 / age) * (rate - fast);
            slow += Math.max(1 - Math.pow(0.5, 1 / 30.0), 1 / age) * (rate - slow);
        }
    }

    ModelCluster(long seed, int serverCount) {
        this.random = new Random(seed);
        for (int i = 1; i <= serverCount; i++) {
            join("s" + i);
        }
        add(new Row(Row.id(1, 0), KeyRange.ALL, server("s1"), "m", 1, 1));
    }

    void join(String id) {
        servers.put(new Incarnation(id, ++index), new ClusterView.Server(false, false, now));
    }

    Incarnation server(String id) {
        return servers.keySet().stream()
                .filter(each -> each.server().equals(id))
                .findFirst()
                .orElseThrow();
    }

    void drain(String id) {
        servers.put(server(id), new ClusterView.Server(true, false, now));
    }

    static Key partition(String name) {
        return Key.beforePartition(TABLE, name);
    }

    /** A total load, spread evenly over partitions. */
    void uniform(int partitions, double total) {
        rates.clear();
        for (int i = 0; i < partitions; i++) {
            rates.put(partition(String.format("p%05d", i)), total / partitions);
        }
    }

    /** The map as if someone had split it here before. */
    void split(List<Key> at, List<String> owners) {
        rows.clear();
        meters.clear();
        HandoffPlan plan = HandoffPlan.split(
                new Row(Row.id(1, 0), KeyRange.ALL, null, null, 1, 1),
                at,
                owners.stream().map(this::server).toList());
        apply(plan);
    }

    /** An operator has what lies from here on split off, and placed on another server. */
    void splitOff(Key at, String to) {
        Row row = rows.floorEntry(at).getValue();
        Incarnation owner = Objects.requireNonNull(row.owner());
        apply(HandoffPlan.split(row, List.of(at), List.of(owner, server(to))));
    }

    private void add(Row row) {
        rows.put(row.range().start(), row);
        meters.put(row.id(), new Meter());
        reported.remove(row.id());
    }

    List<Row> rows() {
        return List.copyOf(rows.values());
    }

    SortedSet<Long> busy() {
        TreeSet<Long> busy = new TreeSet<>();
        running.forEach(each -> each.plan().sources().forEach(row -> busy.add(row.id())));
        return busy;
    }

    private static <T> SortedMap<Key, T> within(SortedMap<Key, T> all, KeyRange range) {
        Key end = range.end();
        return end == null ? all.tailMap(range.start()) : all.subMap(range.start(), end);
    }

    double rate(KeyRange range) {
        return within(rates, range).values().stream()
                .mapToDouble(Double::doubleValue)
                .sum();
    }

    /** The true load of a server. */
    double rate(String id) {
        double sum = 0;
        for (Row row : rows.values()) {
            sum += server(id).equals(row.owner()) ? rate(row.range()) : 0;
        }
        return sum;
    }

    int rangesOf(String id) {
        return (int) rows.values().stream()
                .filter(row -> server(id).equals(row.owner()))
                .count();
    }

    /** Lets a second pass; gives what was decided. */
    List<Decision> tick() {
        now += SECOND;
        List<Running> ended =
                running.stream().filter(each -> each.endNanos() <= now).toList();
        running.removeAll(ended);
        ended.forEach(each -> {
            if (!handoffsFail) {
                apply(each.plan());
            }
        });
        TreeMap<Long, Load> loads = new TreeMap<>();
        for (Row row : rows.values()) {
            Load load = told(row);
            if (unreported == 0 || random.nextDouble() >= unreported) {
                loads.put(row.id(), load);
            }
        }
        TreeMap<Incarnation, Integer> handoffs = new TreeMap<>();
        running.forEach(each -> each.plan().participants().forEach(server -> handoffs.merge(server, 1, Integer::sum)));
        List<HandoffPlan> plans = running.stream().map(Running::plan).toList();
        ClusterView view = new ClusterView(
                Maps.of(rows()), row -> loads.get(row.id()), servers, busy(), List.of(), plans, settings, leaderSince);
        noteNews(loads);
        ranges.observe(view, now);
        every = every.observing(view, now);
        Balancer.Result result = Balancer.decide(view, ranges, now);
        assertThat(result.decisions())
                .as("the decisions with and without the index")
                .isEqualTo(Balancer.decide(view, every, now).decisions());
        boolean checks = explains || !result.decisions().isEmpty() || now / SECOND % 16 == 0;
        if (checks) {
            checkFirst(view, result.decisions());
            assertThat(Balancer.decide(view, ranges, now).decisions())
                    .as("the same of the same")
                    .isEqualTo(result.decisions());
        }
        ranges.remember(result);
        every = every.remembering(result);
        if (checks) {
            checkExplained(result);
        }
        explanation = result.explanation();
        List<Decision> decided = result.decisions();
        check(decided, handoffs);
        for (Decision decision : decided) {
            if (decision.plan() != null) {
                running.add(new Running(decision.plan(), now + HANDOFF_NANOS));
            }
        }
        decisions.addAll(decided);
        return decided;
    }

    /** Servers report what has changed. */
    private void noteNews(Map<Long, Load> loads) {
        Set<Long> changed = new TreeSet<>(seen.keySet());
        changed.addAll(loads.keySet());
        changed.removeIf(range -> Objects.equals(seen.get(range), loads.get(range)));
        changed.forEach(ranges::onChange);
        seen = loads;
    }

    /** What stood against each kind of handoff of a range in the last second. */
    List<WhyNot> explained(Row row) {
        return explanation.of(row);
    }

    /** Lets time pass; gives what was decided in it. */
    List<Decision> run(int seconds) {
        List<Decision> decided = new ArrayList<>();
        for (int i = 0; i < seconds; i++) {
            decided.addAll(tick());
        }
        return decided;
    }

    /** The servers that live and do not drain. */
    private Set<Incarnation> takers() {
        Set<Incarnation> takers = new TreeSet<>();
        servers.forEach((incarnation, server) -> {
            if (!server.draining()) {
                takers.add(incarnation);
            }
        });
        return takers;
    }

    private void check(List<Decision> decided, Map<Incarnation, Integer> underWay) {
        Set<Long> busy = new HashSet<>(busy());
        TreeMap<Incarnation, Integer> handoffs = new TreeMap<>(underWay);
        for (Decision decision : decided) {
            assertThat(decision.why()).isNotEmpty();
            assertThat(decision.evidence()).isNotEmpty();
            HandoffPlan plan = decision.plan();
            if (plan == null) {
                continue;
            }
            for (Row source : plan.sources()) {
                assertThat(busy.add(source.id()))
                        .as("%s names a busy range", plan)
                        .isTrue();
                assertThat(rows.get(source.range().start())).isEqualTo(source);
            }
            for (HandoffPlan.Target target : plan.targets()) {
                assertThat(takers()).as("takers of %s", plan).contains(target.owner());
            }
            plan.participants()
                    .forEach(server -> assertThat(handoffs.merge(server, 1, Integer::sum))
                            .as("handoffs at %s", server)
                            .isLessThanOrEqualTo(2));
        }
    }

    /** What was decided is exactly what nothing stands against. */
    private void checkExplained(Balancer.Result result) {
        Map<Long, Set<HandoffPlan.Kind>> decided = new TreeMap<>();
        for (Decision decision : result.decisions()) {
            HandoffPlan plan = decision.plan();
            if (plan != null) {
                for (long range : decision.ranges()) {
                    decided.computeIfAbsent(range, first -> new TreeSet<>()).add(plan.kind());
                }
            }
        }
        for (Row row : rows.values()) {
            List<WhyNot> against = result.explanation().of(row);
            Set<HandoffPlan.Kind> open = new TreeSet<>(List.of(HandoffPlan.Kind.values()));
            against.forEach(each -> open.remove(each.of()));
            assertThat(open)
                    .as("what nothing stands against, of %s after %s: %s", row, result.decisions(), against)
                    .isEqualTo(decided.getOrDefault(row.id(), Set.of()));
            for (WhyNot each : against) {
                reasons.add(each.reason());
                assertThat(each.text()).isNotBlank().doesNotContain("null", "NaN");
                assertThat(each.untilNanos() == null || each.untilNanos() > now)
                        .as("%s at %s ends later", each, now)
                        .isTrue();
            }
        }
    }

    /** The first decision of a tick is one that nothing stood against before it, by the same checks. */
    private void checkFirst(ClusterView view, List<Decision> decided) {
        Decision first =
                decided.stream().filter(each -> each.plan() != null).findFirst().orElse(null);
        HandoffPlan plan = first == null ? null : first.plan();
        if (plan == null || plan.kind() == HandoffPlan.Kind.MOVE) {
            return; // A move is looked for among all servers.
        }
        Draft draft = new Draft(ranges);
        Prediction prediction = new Prediction(view, ranges);
        Explanation before = new Explanation(
                ranges,
                List.of(),
                new Explanation.Rules(
                        view,
                        draft,
                        new SplitRule(view, prediction, draft, now),
                        new MergeRule(view, prediction, draft, now),
                        new MoveRule(view, ranges, prediction, draft, range -> false, now)));
        for (Row source : plan.sources()) {
            assertThat(before.of(source)).as("against %s", first).noneMatch(each -> each.of() == plan.kind());
        }
    }

    private void apply(HandoffPlan plan) {
        index++;
        boolean keepsId = plan.sources().size() == 1 && plan.targets().size() == 1;
        for (Row source : plan.sources()) {
            rows.remove(source.range().start());
            meters.remove(source.id());
            reported.remove(source.id());
        }
        for (int i = 0; i < plan.targets().size(); i++) {
            HandoffPlan.Target target = plan.targets().get(i);
            long id = keepsId ? plan.sources().get(0).id() : Row.id(index, i);
            add(new Row(id, target.range(), target.owner(), "m" + index, index, index));
        }
    }

    /**
     * The master's last report of a load: on average each third report is lost, and an almost unchanged load is
     * reported every two seconds.
     */
    private Load told(Row row) {
        Load now = measured(row);
        Reported before = reported.get(row.id());
        boolean due = before == null || this.now - before.nanos() >= 2 * SECOND || differ(before.load(), now);
        if (!staggered || (due && (before == null || random.nextInt(3) > 0))) {
            reported.put(row.id(), new Reported(now, this.now));
            return now;
        }
        return before == null ? now : before.load();
    }

    private static boolean differ(Load before, Load now) {
        return Math.abs(before.entities() - now.entities())
                > Math.max(2, 0.05 * Math.max(before.entities(), now.entities()));
    }

    private double counted(double rate) {
        double wandering = rate * (1 + noise * (2 * random.nextDouble() - 1));
        return arrivals == 0 ? wandering : arrivals * poisson(wandering / arrivals);
    }

    private double poisson(double mean) {
        if (mean > 50) {
            return Math.max(0, Math.rint(mean + Math.sqrt(mean) * random.nextGaussian()));
        }
        double left = Math.exp(-mean);
        int count = -1;
        for (double product = 1; product > left; count++) {
            product *= random.nextDouble();
        }
        return Math.max(0, count);
    }

    private Load measured(Row row) {
        Meter meter = meters.computeIfAbsent(row.id(), first -> new Meter());
        SortedMap<Key, Double> here = within(rates, row.range());
        double rate = 0;
        double greatest = 0;
        Key hottest = Key.MIN;
        for (Map.Entry<Key, Double> each : here.entrySet()) {
            rate += each.getValue();
            if (each.getValue() > greatest) {
                greatest = each.getValue();
                hottest = each.getKey();
            }
        }
        meter.count(counted(rate));
        SortedMap<Key, Long> sizes = within(bytes, row.range());
        long size = 0;
        for (long each : sizes.values()) {
            size += each;
        }
        Load.Middle middle = size > settings.splitBytes() / 2 ? middle(row, sizes, size) : null;
        if (rate < 1) {
            return new ToldLoad(meter.fast, meter.slow, size, middle, List.of(), null, null);
        }
        int samples = (int) Math.min(4000, 4 * rate);
        return new ToldLoad(
                meter.fast,
                meter.slow,
                size,
                middle,
                meter.fast > settings.splitLoad() / 2.0 ? candidates(here, rate, samples) : List.of(),
                new Load.Hottest(hottest, greatest / rate, samples),
                end);
    }

    private static Load.Middle middle(Row row, SortedMap<Key, Long> sizes, long size) {
        Key at = null;
        double best = 0;
        long below = 0;
        for (Map.Entry<Key, Long> each : sizes.entrySet()) {
            double left = (double) below / size;
            boolean inside = !each.getKey().equals(row.range().start());
            if (inside && (at == null || Math.abs(left - 0.5) < Math.abs(best - 0.5))) {
                at = each.getKey();
                best = left;
            }
            below += each.getValue();
        }
        return new Load.Middle(at, best);
    }

    /** Twenty bounds, before or behind partitions drawn in proportion to the load. */
    private List<Load.Candidate> candidates(SortedMap<Key, Double> here, double rate, int samples) {
        TreeMap<Key, Double> bounds = new TreeMap<>();
        TreeMap<Double, Key> drawn = new TreeMap<>();
        double below = 0;
        for (Map.Entry<Key, Double> each : here.entrySet()) {
            bounds.put(each.getKey(), below);
            below += each.getValue();
            drawn.put(below, each.getKey());
        }
        TreeMap<Key, Load.Candidate> candidates = new TreeMap<>();
        for (int i = 0; i < 20; i++) {
            Map.Entry<Double, Key> partition = drawn.ceilingEntry(random.nextDouble() * below);
            Key at = partition == null
                    ? drawn.lastEntry().getValue()
                    : i % 2 == 0 ? partition.getValue() : bounds.higherKey(partition.getValue());
            if (at != null) {
                double share = bounds.getOrDefault(at, 0.0) / rate;
                candidates.put(at, new Load.Candidate(at, left(share), 0, random.nextInt(samples + 1)));
            }
        }
        return List.copyOf(candidates.values());
    }

    /** The share by samples. */
    private double left(double share) {
        double error = share > 0 ? 0.02 * (2 * random.nextDouble() - 1) : 0;
        return candidatesOnOneSide ? 0 : Math.min(1, Math.max(0, share + error));
    }
}
