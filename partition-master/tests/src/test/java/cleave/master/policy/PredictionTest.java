package cleave.master.policy;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.master.state.BalancerSettings;
import cleave.master.state.Maps;
import cleave.master.state.Rows;
import cleave.model.Incarnation;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.Row;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.jspecify.annotations.Nullable;

class PredictionTest {
    private static final BalancerSettings SETTINGS = BalancerSettings.DEFAULT;

    /** Few different weights, so that there are ties. */
    @Property(tries = 200)
    void serversAreInTheOrderOfASort(@ForAll long seed) {
        Random random = new Random(seed);
        ClusterView view = view(random);
        Prediction prediction = new Prediction(view, EveryRange.NONE.observing(view, 0));
        List<Row> rows = List.copyOf(view.rows().all());
        List<Incarnation> servers = List.copyOf(view.servers().keySet());
        TreeMap<Incarnation, Integer> handoffs = new TreeMap<>();
        for (int i = 0; i < 40; i++) {
            Row row = rows.get(random.nextInt(rows.size()));
            Incarnation to = servers.get(random.nextInt(servers.size()));
            prediction.add(to, random.nextInt(5) - 2);
            if (random.nextInt(4) == 0) {
                HandoffPlan plan = HandoffPlan.move(row, to);
                plan.participants().forEach(server -> handoffs.merge(server, 1, Integer::sum));
                prediction.begins(plan);
            }
            List<Incarnation> sorted = new ArrayList<>(servers);
            sorted.sort(Comparator.comparing(prediction::carried).thenComparing(Comparator.naturalOrder()));
            assertThat(prediction.coldestFree()).isEqualTo(firstFree(view, sorted, handoffs));
            Collections.reverse(sorted);
            assertThat(prediction.hottest()).isEqualTo(sorted);
        }
    }

    private static @Nullable Incarnation firstFree(
            ClusterView view, List<Incarnation> sorted, Map<Incarnation, Integer> handoffs) {
        for (Incarnation server : sorted) {
            if (server(view, server).takesRanges() && handoffs.getOrDefault(server, 0) < HandoffPlan.PER_SERVER_MAX) {
                return server;
            }
        }
        return null;
    }

    private static ClusterView.Server server(ClusterView view, Incarnation server) {
        return Objects.requireNonNull(view.server(server));
    }

    @Property(tries = 200)
    void rowsOverAnIntervalAreThoseThatOverlapIt(@ForAll long seed) {
        Random random = new Random(seed);
        Rows rows = view(random).rows();
        int from = random.nextInt(70);
        Key start = from == 0 ? Key.MIN : bound(from);
        Key end = random.nextInt(5) == 0 ? null : bound(from + 1 + random.nextInt(70));
        KeyRange interval = new KeyRange(start, end);
        assertThat(rows.over(interval))
                .isEqualTo(rows.all().stream()
                        .filter(row -> row.range().overlaps(interval))
                        .toList());
        assertThat(Maps.of(List.of()).over(interval)).isEmpty();
        Row last = null;
        for (Row row : rows.all()) {
            assertThat(rows.before(row.range().start())).isEqualTo(last);
            last = row;
        }
    }

    private static Key bound(int at) {
        return Key.beforePartition(7, String.format("p%03d", at));
    }

    private static ClusterView view(Random random) {
        TreeMap<Incarnation, ClusterView.Server> servers = new TreeMap<>();
        for (int i = 0; i < 2 + random.nextInt(6); i++) {
            boolean draining = random.nextInt(5) == 0;
            servers.put(new Incarnation("s" + i, i), new ClusterView.Server(draining, random.nextInt(5) == 0, 0));
        }
        List<Incarnation> owners = List.copyOf(servers.keySet());
        List<Row> rows = new ArrayList<>();
        Key start = Key.MIN;
        for (int at = 1; start != null; at++) {
            @Nullable Key end = at == 60 ? null : bound(at);
            if (end == null || random.nextInt(3) == 0) {
                Incarnation owner = owners.get(random.nextInt(owners.size()));
                rows.add(new Row(Row.id(at, 0), new KeyRange(start, end), owner, "m", at, at));
                start = end;
            }
        }
        return new ClusterView(Maps.of(rows), row -> null, servers, new TreeSet<>(), List.of(), List.of(), SETTINGS, 0);
    }
}
