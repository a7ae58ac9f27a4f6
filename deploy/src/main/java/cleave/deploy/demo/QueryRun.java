package cleave.deploy.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The result and cost of one query over all of its pages. Immutable.
 *
 * @param keys in the order of the answers
 * @param pages the cost of each page as far as the service reported it; shorter than {@code requests} if it did not
 */
record QueryRun(List<String> keys, int requests, List<Explain> pages, long millis) {
    static QueryRun of(TableHttp http, String table, CityQuery query) {
        long began = System.nanoTime();
        List<String> keys = new ArrayList<>();
        List<Explain> pages = new ArrayList<>();
        int requests = 0;
        String token = null;
        do {
            EntityPage page = page(http, table, query, token);
            requests++;
            keys.addAll(page.keys());
            Explain explain = page.explain();
            if (explain != null) {
                pages.add(explain);
            }
            token = page.next();
        } while (token != null);
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
        return new QueryRun(List.copyOf(keys), requests, List.copyOf(pages), millis);
    }

    private static EntityPage page(TableHttp http, String table, CityQuery query, @Nullable String token) {
        City point = query.point();
        return point == null
                ? http.query(table, query.filter(), token)
                : http.point(table, point.country(), point.id());
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
