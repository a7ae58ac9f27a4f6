package cleave.deploy.demo;

import cleave.client.Answer;
import cleave.client.Continuation;
import cleave.client.Explain;
import cleave.client.JsonText;
import cleave.client.Requests;
import cleave.deploy.CommandFailure;
import cleave.deploy.access.Tables;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The result and cost of one query over all of its pages. Immutable.
 *
 * @param keys in the order of the answers
 * @param pages the cost of each page as far as the service reported it; shorter than {@code requests} if it did not
 */
record QueryRun(List<String> keys, int requests, List<Explain> pages, long millis) {
    static QueryRun of(Tables tables, String table, CityQuery query) {
        long began = System.nanoTime();
        List<String> keys = new ArrayList<>();
        List<Explain> pages = new ArrayList<>();
        int requests = 0;
        @Nullable Continuation from = null;
        do {
            Answer page = page(tables, table, query, from);
            requests++;
            keys.addAll(keysOf(page));
            Explain explain = Explain.of(page);
            if (explain != null) {
                pages.add(explain);
            }
            from = Continuation.of(page);
        } while (from != null);
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
        return new QueryRun(List.copyOf(keys), requests, List.copyOf(pages), millis);
    }

    private static Answer page(Tables tables, String table, CityQuery query, @Nullable Continuation from) {
        City point = query.point();
        List<String> options = new ArrayList<>(List.of("$select=PartitionKey,RowKey,Name"));
        if (!query.filter().isEmpty()) {
            options.add(Requests.option("$filter", query.filter()));
        }
        Answer answer = tables.send(
                to -> (point == null ? to.query(table, options, from) : to.get(table, point.country(), point.id()))
                        .with(Explain.HEADER, "true"));
        return Tables.expect(answer, "the query " + query.filter());
    }

    /** {@code PartitionKey/RowKey} of all entities in an answer, which is one entity or a list, in its order. */
    static List<String> keysOf(Answer answer) {
        try {
            Map<String, @Nullable Object> body = JsonText.object(answer.body());
            List<Map<String, @Nullable Object>> entities =
                    body.containsKey("value") ? JsonText.entities(answer.body()) : List.of(body);
            return entities.stream()
                    .map(entity -> entity.get("PartitionKey") + "/" + entity.get("RowKey"))
                    .toList();
        } catch (IOException malformed) {
            throw CommandFailure.failed("an answer is not JSON: " + malformed.getMessage());
        }
    }

    boolean isExplained() {
        return pages.size() == requests;
    }

    String queryClass() {
        return pages.isEmpty() ? "" : pages.get(0).queryClass();
    }

    long ranges() {
        return pages.stream().flatMap(page -> page.ranges().stream()).distinct().count();
    }

    long servers() {
        return pages.stream()
                .flatMap(page -> page.servers().stream())
                .distinct()
                .count();
    }

    long calls() {
        return pages.stream().mapToLong(Explain::calls).sum();
    }

    long examined() {
        return pages.stream().mapToLong(Explain::examined).sum();
    }

    long received() {
        return pages.stream().mapToLong(Explain::received).sum();
    }
}
