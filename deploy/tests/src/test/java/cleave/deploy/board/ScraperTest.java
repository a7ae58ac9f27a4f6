package cleave.deploy.board;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.board.scrape.Metrics;
import cleave.board.scrape.Scrape;
import cleave.board.scrape.Scrape.Kind;
import cleave.deploy.board.Scraper.Named;
import cleave.runtime.rpc.Address;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ScraperTest {
    private static final int OTHERS = 20;

    private final AtomicInteger requests = new AtomicInteger();
    private final AtomicLong clock = new AtomicLong();
    /** Any metric that the board looks at. */
    private static final String ASKED = "cleave_server_stores_stalled";

    private final Queue<String> queries = new ConcurrentLinkedQueue<>();
    private HttpServer process;

    @BeforeEach
    void start() throws IOException {
        process = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        process.createContext("/metrics", exchange -> {
            queries.add(exchange.getRequestURI().getQuery());
            byte[] text = (ASKED + " " + requests.incrementAndGet() + "\n").getBytes(StandardCharsets.US_ASCII);
            exchange.sendResponseHeaders(200, text.length);
            exchange.getResponseBody().write(text);
            exchange.close();
        });
        process.start();
    }

    @AfterEach
    void stop() {
        process.stop(0);
    }

    private static Named named(Kind kind, int port) {
        return new Named(kind, new Address("127.0.0.1", port));
    }

    private static double asked(Scrape scrape) {
        Metrics metrics = scrape.metrics();
        return metrics == null ? -1 : metrics.sum(ASKED);
    }

    /** The scrapes of the next round that ends. */
    private static List<Scrape> next(Scraper scraper, List<Scrape> before) {
        List<Scrape> now = scraper.newest();
        while (now == before) {
            Thread.onSpinWait();
            now = scraper.newest();
        }
        return now;
    }

    @Test
    void aProcessOfManyKindsIsAskedOnceARound() {
        int port = process.getAddress().getPort();
        List<Named> kinds = List.of(named(Kind.SERVER, port), named(Kind.FRONT_END, port), named(Kind.DFS, port));
        try (Scraper scraper = new Scraper(kinds, clock::get)) {
            List<Scrape> first = next(scraper, scraper.newest());
            assertThat(first)
                    .extracting(scrape -> scrape.target().kind())
                    .containsExactly(Kind.SERVER, Kind.FRONT_END, Kind.DFS);
            assertThat(first).extracting(ScraperTest::asked).containsOnly(1.0);

            clock.addAndGet(Scraper.BETWEEN_NANOS);
            assertThat(next(scraper, first)).extracting(ScraperTest::asked).containsOnly(2.0);
            assertThat(requests).hasValue(2);
            assertThat(queries).allMatch(query -> query.contains("name[]=" + ASKED) && !query.contains("jvm"));
        }
    }

    /** Rounds of another board take the time in which one of this could have come. */
    private static void rounds(Scraper other, AtomicLong othersClock, Runnable meanwhile) {
        List<Scrape> newest = other.newest();
        for (int round = 0; round < OTHERS; round++) {
            newest = next(other, newest);
            othersClock.addAndGet(Scraper.BETWEEN_NANOS);
            meanwhile.run();
        }
    }

    @Test
    void noRoundBeginsBeforeItsTime() {
        List<Named> one = List.of(named(Kind.DFS, process.getAddress().getPort()));
        AtomicLong othersClock = new AtomicLong();
        try (Scraper scraper = new Scraper(one, clock::get);
                Scraper other = new Scraper(one, othersClock::get)) {
            List<Scrape> first = next(scraper, scraper.newest());
            clock.addAndGet(Scraper.BETWEEN_NANOS - 1);
            rounds(other, othersClock, () -> assertThat(scraper.newest()).isSameAs(first));
            assertThat(requests).hasValue(1 + OTHERS);
        }
    }

    @Test
    void noProcessIsAskedUnlessSomebodyAsks() {
        List<Named> one = List.of(named(Kind.DFS, process.getAddress().getPort()));
        AtomicLong othersClock = new AtomicLong();
        try (Scraper unused = new Scraper(one, clock::get);
                Scraper other = new Scraper(one, othersClock::get)) {
            clock.addAndGet(10 * Scraper.BETWEEN_NANOS);
            rounds(other, othersClock, () -> {});
            assertThat(requests).hasValue(OTHERS);
            assertThat(unused).isNotNull();
        }
    }

    @Test
    void aProcessThatIsNotThereIsDownAndTheOthersAreRead() throws IOException {
        int free;
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            free = taken.getLocalPort();
        }
        List<Named> both = List.of(
                named(Kind.DFS, free), named(Kind.SERVER, process.getAddress().getPort()));
        try (Scraper scraper = new Scraper(both, clock::get)) {
            assertThat(next(scraper, scraper.newest())).extracting(Scrape::isUp).containsExactly(true, false);
        }
    }
}
