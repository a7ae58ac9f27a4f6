package cleave.chaos.lab.partitioning;

import cleave.chaos.lab.Experiment;
import cleave.chaos.lab.LabClient;
import cleave.chaos.lab.LabEntity;
import cleave.chaos.lab.LabRun;
import cleave.chaos.lab.QueryResult;
import cleave.chaos.picture.Chart;
import cleave.chaos.picture.Chart.Series;
import cleave.client.Continuation;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A continuation token is a key, so it outlives the client, the split of a range, and its move. */
final class ContinuationTokens implements Experiment {
    private static final int PARTITIONS = 12;
    private static final int PAGE = 30;
    /** After this page the client ends, and the table is split. */
    private static final int LAST_PAGE_BEFORE = 3;

    @Override
    public void run(LabRun run) throws IOException {
        int each = run.of(25, 50);
        List<String> written = new ArrayList<>();
        List<String> read = new ArrayList<>();
        List<Double> servers = new ArrayList<>();
        Continuation token;
        Continuation stored;
        String name;
        Ranges ranges = Ranges.atRest(run);
        try (LabClient first = LabClient.open(run.endpoint())) {
            name = first.createTable(run, "Paged");
            ranges.spread(first, name, List.of(key(0)));
            first.load(name, entities(each, written));
            token = pages(first, name, null, LAST_PAGE_BEFORE, read, servers);
            if (token == null) {
                throw new IOException("the table has no more than " + read.size() + " entities");
            }
            stored = token;
            ranges.spread(first, name, List.of(key(0), key(4), key(8)));
        }
        try (LabClient second = LabClient.open(run.endpoint())) {
            pages(second, name, token, Integer.MAX_VALUE, read, servers);
        }
        report(run, stored, servers);
        claims(run, stored, written, read, servers);
    }

    private static String key(int partition) {
        return String.format(Locale.ROOT, "p%02d", partition);
    }

    private static List<LabEntity> entities(int each, List<String> keys) {
        List<LabEntity> entities = new ArrayList<>();
        for (int partition = 0; partition < PARTITIONS; partition++) {
            for (int row = 0; row < each; row++) {
                String rowKey = String.format(Locale.ROOT, "%04d", row);
                entities.add(LabEntity.of(key(partition), rowKey, Map.of("Number", row)));
                keys.add(key(partition) + "/" + rowKey);
            }
        }
        return entities;
    }

    /** Reads pages, and gives the token of the last; null at the end of the table. */
    private static @Nullable Continuation pages(
            LabClient client,
            String table,
            @Nullable Continuation from,
            int count,
            List<String> keys,
            List<Double> servers)
            throws IOException {
        Continuation token = from;
        for (int i = 0; i < count; i++) {
            QueryResult page = client.page(table, "PartitionKey ge '" + key(0) + "'", token, "$top=" + PAGE);
            page.entities().forEach(entity -> keys.add(entity.partition() + "/" + entity.row()));
            servers.add((double) page.cost().servers().size());
            token = page.next();
            if (token == null) {
                return null;
            }
        }
        return token;
    }

    private static void report(LabRun run, Continuation stored, List<Double> servers) throws IOException {
        run.say(
                "After page " + LAST_PAGE_BEFORE + " the token was NextPartitionKey=" + stored.partition()
                        + " and NextRowKey="
                        + stored.row() + ", which is " + stored.partitionKey() + " and "
                        + stored.rowKey()
                        + " in base64. Then the table was split into three ranges on three servers, and another connection went on.");
        List<List<String>> rows = new ArrayList<>();
        List<Double> x = new ArrayList<>();
        for (int i = 0; i < servers.size(); i++) {
            x.add(i + 1.0);
            rows.add(List.of(
                    Integer.toString(i + 1),
                    i < LAST_PAGE_BEFORE ? "before the split" : "after it",
                    Integer.toString(servers.get(i).intValue())));
        }
        run.table("Pages of " + PAGE + " entities", List.of("page", "when", "servers asked"), rows);
        run.draw(Chart.lines(
                "Servers that each page asked; the table was split after page " + LAST_PAGE_BEFORE,
                "servers",
                "page",
                List.of(new Series("servers", x, servers))));
    }

    private static void claims(
            LabRun run, Continuation stored, List<String> written, List<String> read, List<Double> servers)
            throws IOException {
        run.claim(
                "each entity is read exactly once, in the order of the keys",
                read.equals(written),
                read.size() + " of " + written.size());
        String named = stored.partitionKey() + "/" + stored.rowKey();
        run.claim(
                "the token names the first entity of the next page",
                written.get(LAST_PAGE_BEFORE * PAGE).equals(named),
                named);
        run.claim(
                "a page that crosses the border of two servers is one page",
                servers.subList(LAST_PAGE_BEFORE, servers.size()).contains(2.0),
                servers.stream()
                                .map(count -> Integer.toString(count.intValue()))
                                .toList() + " servers");
    }
}
