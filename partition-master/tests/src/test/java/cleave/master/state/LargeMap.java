package cleave.master.state;

import cleave.model.FeatureLevels;
import cleave.model.Incarnation;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.pcollections.TreePMap;

/** Masters' states of many ranges: one table, cut at PartitionKeys of 20 characters, on 1,000 servers. For tests. */
public final class LargeMap {
    public static final int SERVERS = 1_000;
    private static final long BEGINNING = 1_000_000;

    private LargeMap() {}

    public static MasterState state(int ranges) {
        List<Row> rows = new ArrayList<>();
        Key start = Key.MIN;
        for (int i = 0; i < ranges; i++) {
            Key end = Key.beforePartition(7, String.format(Locale.ROOT, "customer-%011d", i + 1));
            KeyRange range = new KeyRange(start, i + 1 < ranges ? end : null);
            long version = BEGINNING + i;
            rows.add(new Row(Row.id(version, 0), range, owner(i), manifest(version), version, version));
            start = end;
        }
        return of(rows, BEGINNING + ranges);
    }

    /** Each range has been given to another server since, as after a restart of the cluster. */
    public static MasterState changedEverywhere(MasterState before) {
        List<Row> rows = new ArrayList<>();
        long version = before.mapVersion();
        for (Row row : before.rows().all()) {
            version++;
            rows.add(new Row(row.id(), row.range(), owner(version), manifest(version), version, version));
        }
        return of(rows, version);
    }

    /**
     * The same map in a cluster at the newest level, with settings and a DFS, as a leader needs it.
     *
     * @param ofFirst how many ranges the first server owns at least; the others share the rest
     */
    public static MasterState led(int ranges, int ofFirst, String cluster, String dfs, BalancerSettings settings) {
        MasterState even = state(ranges);
        List<Row> rows = new ArrayList<>();
        for (Row row : even.rows().all()) {
            int i = rows.size();
            Incarnation owner = i < ofFirst ? owner(0) : ofFirst == 0 ? owner(i) : owner(1 + i % (SERVERS - 1));
            rows.add(new Row(row.id(), row.range(), owner, row.manifest(), row.version(), row.epoch()));
        }
        return new MasterState(
                cluster,
                even.mapVersion(),
                Rows.of(rows),
                even.servers(),
                8,
                TreePMap.empty(),
                settings,
                FeatureLevels.SUPPORTED.max(),
                dfs,
                Fences.NONE,
                Acts.NONE);
    }

    private static MasterState of(List<Row> rows, long version) {
        TreePMap<String, Server> servers = TreePMap.empty();
        for (int i = 0; i < SERVERS; i++) {
            Incarnation incarnation = owner(i);
            servers = servers.plus(
                    incarnation.server(), new Server(incarnation, "10.1." + i / 250 + "." + i % 250 + ":10003", false));
        }
        @Nullable BalancerSettings none = null;
        return new MasterState(
                "c",
                version,
                Rows.of(rows),
                servers,
                8,
                TreePMap.empty(),
                none,
                FeatureLevels.FIRST,
                "",
                Fences.NONE,
                Acts.NONE);
    }

    private static Incarnation owner(long i) {
        return new Incarnation("server-" + i % SERVERS, 1_000 + i % SERVERS);
    }

    private static String manifest(long version) {
        return "manifests/" + Row.idText(Row.id(version, 0)) + "/" + version + "-3";
    }
}
