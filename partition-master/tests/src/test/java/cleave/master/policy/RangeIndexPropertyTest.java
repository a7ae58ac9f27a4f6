package cleave.master.policy;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.master.policy.ClusterView.Server;
import cleave.master.policy.HandoffPlan.Target;
import cleave.master.state.BalancerSettings;
import cleave.master.state.Maps;
import cleave.model.Incarnation;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.Row;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * The index beside its model {@link EveryRange} over random histories of heartbeats, splits, merges, moves, publishes, restored maps, deaths,
 * drains, settings and time: the same decisions and the same explanations in every tick, and its invariants.
 */
class RangeIndexPropertyTest {
    private static final long SECOND = 1_000_000_000L;
    private static final int KEYS = 400;
    private static final double[] RATES = {0, 0, 0, 1, 20, 300, 1_900, 2_100, 2_500, 6_000};

    @Property(tries = 40)
    void theIndexDecidesAsIfItLookedAtEveryRange(@ForAll long seed) {
        World world = new World(seed);
        for (int i = 0; i < 150; i++) {
            world.second();
        }
    }

    /** The histories above are worth something only if much is decided in them. */
    @Test
    void allKindsOfDecisionsAreMade() {
        Set<Decision.Reason> reasons = new HashSet<>();
        for (long seed = 1; seed <= 20; seed++) {
            World world = new World(seed);
            for (int i = 0; i < 150; i++) {
                world.second();
            }
            reasons.addAll(world.reasons);
        }
        assertThat(reasons)
                .contains(
                        Decision.Reason.HOT,
                        Decision.Reason.LARGE,
                        Decision.Reason.COLD,
                        Decision.Reason.COLD_APART,
                        Decision.Reason.UNEVEN,
                        Decision.Reason.JOINED,
                        Decision.Reason.POPULAR_PARTITION,
                        Decision.Reason.NO_BOUND);
    }

    private static final class World {
        final Set<Decision.Reason> reasons = new HashSet<>();
        private final Random random;
        private final RangeIndex index = new RangeIndex();
        private EveryRange every = EveryRange.NONE;
        private BalancerSettings settings;
        private final TreeMap<Key, Row> rows = new TreeMap<>();
        private final TreeMap<Long, Load> loads = new TreeMap<>();
        private final TreeMap<Incarnation, Server> servers = new TreeMap<>();
        private final List<HandoffPlan> running = new ArrayList<>();
        private final List<Goal> goals = new ArrayList<>();
        private long version = 1;
        private long now = 1_000 * SECOND;
        private final long began = now;
        /** Loads change all the time, or seldom. */
        private final int restlessness;

        World(long seed) {
            random = new Random(seed);
            restlessness = random.nextInt(6);
            settings = BalancerSettings.DEFAULT
                    .with("balancer.merge-window", "20s")
                    .with("balancer.merge-after-split", "15s")
                    .with("balancer.merge-after-start", "5s")
                    .with("balancer.move-rest", "10s");
            for (int i = 0; i < 2 + random.nextInt(4); i++) {
                join();
            }
            Row whole = new Row(Row.id(version, 0), KeyRange.ALL, anyServer(), "m", version, version);
            rows.put(Key.MIN, whole);
            List<Key> at = new ArrayList<>();
            for (int i = 1; i < KEYS; i += 1 + random.nextInt(30)) {
                at.add(key(i));
            }
            List<Incarnation> owners = new ArrayList<>();
            for (int i = 0; i <= at.size(); i++) {
                owners.add(anyServer());
            }
            apply(HandoffPlan.split(whole, at, owners));
        }

        private static Key key(int i) {
            return Key.beforePartition(7, String.format("p%04d", i));
        }

        private boolean oneIn(int times) {
            return random.nextInt(times) == 0;
        }

        private <T> T any(Iterable<T> of) {
            List<T> all = new ArrayList<>();
            of.forEach(all::add);
            return all.get(random.nextInt(all.size()));
        }

        private Incarnation anyServer() {
            return any(servers.keySet());
        }

        private void join() {
            version++;
            Incarnation server = new Incarnation("s" + version, version);
            servers.put(server, new Server(false, false, now));
            index.onServer(server);
        }

        void second() {
            happen();
            now += oneIn(8) ? 50_000_000L * (1 + random.nextInt(18)) : oneIn(20) ? random.nextInt(40) * SECOND : SECOND;
            tick();
        }

        private void happen() {
            for (int i = random.nextInt(3) * restlessness; i > 0; i--) {
                report(any(rows.values()));
            }
            for (HandoffPlan plan : List.copyOf(running)) {
                if (oneIn(2)) {
                    running.remove(plan);
                    if (!oneIn(5)) {
                        apply(plan);
                    }
                }
            }
            if (oneIn(10)) {
                publish(any(rows.values()));
            }
            if (oneIn(10)) {
                moveOrMerge();
            }
            if (oneIn(40)) {
                join();
            }
            if (oneIn(40) && servers.size() > 2) {
                die();
            }
            if (oneIn(15)) {
                Incarnation server = anyServer();
                servers.put(
                        server,
                        new Server(
                                oneIn(3),
                                oneIn(3),
                                Objects.requireNonNull(servers.get(server)).joinedNanos()));
            }
            if (oneIn(30)) {
                change();
            }
            if (oneIn(60)) {
                restore();
            }
            goals.clear();
            if (oneIn(5)) {
                goals.add(new PlanGoal(HandoffPlan.move(any(rows.values()), anyServer())));
            }
            takeOver();
        }

        /** A load of some kind, or that it is not served. */
        private void report(Row row) {
            if (oneIn(12)) {
                loads.remove(row.id());
                index.onChange(row.id());
            } else {
                double rate = RATES[random.nextInt(RATES.length)];
                Load before = loads.get(row.id());
                double slow = before == null || oneIn(3) ? rate : (rate + before.entities30s()) / 2;
                long bytes = oneIn(6) ? 300L << 20 : random.nextInt(3) * (5L << 20);
                Key at = middle(row);
                Load.Middle middle = oneIn(5) ? null : new Load.Middle(oneIn(4) ? null : at, 0.5);
                List<Load.Candidate> candidates =
                        at == null || oneIn(4) ? List.of() : List.of(new Load.Candidate(at, 0.5, 0, 500));
                Load.Hottest hottest = oneIn(3) ? new Load.Hottest(key(1), 0.9, 1_000) : null;
                Load load = new ToldLoad(rate, slow, bytes, middle, candidates, hottest, null);
                loads.put(row.id(), load);
                Incarnation owner = Objects.requireNonNull(row.owner());
                if (servers.containsKey(owner) && !oneIn(4)) {
                    index.onLoad(owner, row.id(), row.epoch(), load);
                } else { // The dead are not heard.
                    index.onChange(row.id());
                }
            }
            if (oneIn(10)) {
                strayReport(row);
            }
        }

        /** By a server that was its owner, or one that will be. */
        private void strayReport(Row row) {
            Load other = new ToldLoad(7_000, 7_000, 300L << 20, null, List.of(), null, null);
            boolean isOwners = oneIn(2);
            Incarnation server = isOwners ? Objects.requireNonNull(row.owner()) : new Incarnation("stray", version);
            index.onLoad(server, row.id(), isOwners ? row.epoch() + 1 - 2L * random.nextInt(2) : row.epoch(), other);
        }

        private static @Nullable Key middle(Row row) {
            for (int i = KEYS / 2, step = KEYS / 4; step > 0; step /= 2) {
                Key key = key(i);
                if (row.range().contains(key) && !row.range().start().equals(key)) {
                    return key;
                }
                i += key.compareTo(row.range().start()) <= 0 ? step : -step;
            }
            return null;
        }

        private void publish(Row row) {
            version++;
            rows.put(row.range().start(), new Row(row.id(), row.range(), row.owner(), "n", version, row.epoch()));
        }

        private void moveOrMerge() {
            Row row = any(rows.values());
            Key end = row.range().end();
            Row next = end == null ? null : rows.get(end);
            apply(
                    next == null || oneIn(2)
                            ? HandoffPlan.move(row, anyServer())
                            : HandoffPlan.merge(row, next, anyServer()));
        }

        private void apply(HandoffPlan plan) {
            if (!plan.sources().stream().allMatch(source -> {
                Row row = rows.get(source.range().start());
                return row != null && row.id() == source.id() && row.epoch() == source.epoch();
            })) {
                return;
            }
            version++;
            boolean keepsId = plan.sources().size() == 1 && plan.targets().size() == 1;
            plan.sources().forEach(source -> rows.remove(source.range().start()));
            for (int i = 0; i < plan.targets().size(); i++) {
                Target target = plan.targets().get(i);
                long id = keepsId ? plan.sources().get(0).id() : Row.id(version, i);
                Row row = new Row(id, target.range(), target.owner(), "m" + version, version, version);
                rows.put(target.range().start(), row);
                report(row);
            }
        }

        private void die() {
            Incarnation dead = anyServer();
            servers.remove(dead);
            index.onServer(dead);
        }

        /** The orphans get an owner, or else wait until later. */
        private void takeOver() {
            for (Row row : List.copyOf(rows.values())) {
                if (!servers.containsKey(row.owner()) && oneIn(2)) {
                    apply(HandoffPlan.move(row, anyServer()));
                }
            }
        }

        /** Other ranges take the place of all. */
        private void restore() {
            List<Key> starts = new ArrayList<>(rows.keySet());
            starts.removeIf(each -> !each.equals(Key.MIN) && oneIn(3));
            version++;
            rows.clear();
            for (int i = 0; i < starts.size(); i++) {
                Key end = i + 1 < starts.size() ? starts.get(i + 1) : null;
                Row row = new Row(
                        Row.id(version, i), new KeyRange(starts.get(i), end), anyServer(), "r", version, version);
                rows.put(starts.get(i), row);
            }
        }

        private void change() {
            settings = switch (random.nextInt(6)) {
                case 0 -> settings.with("balancer.split", Boolean.toString(!settings.split()));
                case 1 -> settings.with("balancer.merge", Boolean.toString(!settings.merge()));
                case 2 -> settings.with("balancer.move", Boolean.toString(!settings.move()));
                case 3 -> settings.with("balancer.merge-window", (1 + random.nextInt(30)) + "s");
                case 4 -> settings.with("balancer.split-load", Integer.toString(40 + random.nextInt(3_000)));
                default -> settings.with("balancer.split-bytes", (1 + random.nextInt(300)) + "MiB");
            };
        }

        private void tick() {
            TreeSet<Long> busy = new TreeSet<>();
            running.forEach(plan -> plan.sources().forEach(row -> busy.add(row.id())));
            ClusterView view = new ClusterView(
                    Maps.of(rows.values()),
                    row -> servers.containsKey(row.owner()) ? loads.get(row.id()) : null,
                    servers,
                    busy,
                    goals,
                    running,
                    settings,
                    began);
            index.observe(view, now);
            every = every.observing(view, now);
            Balancer.Result result = Balancer.decide(view, index, now);
            Balancer.Result model = Balancer.decide(view, every, now);
            assertThat(result.decisions()).isEqualTo(model.decisions());
            index.remember(result);
            every = every.remembering(model);
            assertThat(index.carried()).isEqualTo(every.carried());
            assertThat(ids(index.watched())).isEqualTo(ids(every.toWatch(settings)));
            assertThat(ids(index.leftOfCold())).isEqualTo(ids(every.coldLeft(settings)));
            servers.keySet()
                    .forEach(server -> assertThat(ids(index.inUse(server))).isEqualTo(ids(every.inUse(server))));
            for (Row row : rows.values()) {
                Tracked seen = index.of(row.id());
                assertThat(seen.row).isEqualTo(row);
                assertThat(seen.history).as("history of %s", row).isEqualTo(every.of(row.id()).history);
                assertThat(seen.bytes).as("bytes of %s", row).isEqualTo(every.of(row.id()).bytes);
                assertThat(result.explanation().of(row))
                        .isEqualTo(model.explanation().of(row));
            }
            for (Decision decision : result.decisions()) {
                reasons.add(decision.reason());
                if (decision.plan() != null) {
                    running.add(decision.plan());
                }
            }
        }

        private static List<Long> ids(Iterable<Tracked> ranges) {
            List<Long> ids = new ArrayList<>();
            ranges.forEach(range -> ids.add(range.row.id()));
            return ids;
        }
    }
}
