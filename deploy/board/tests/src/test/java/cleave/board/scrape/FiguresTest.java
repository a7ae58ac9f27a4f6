package cleave.board.scrape;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.board.frame.Parties.DfsPart;
import cleave.board.frame.Parties.FrontEnd;
import cleave.board.scrape.Scrape.Kind;
import cleave.board.scrape.Scrape.Target;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class FiguresTest {
    private static final Target FRONT_END = new Target(Kind.FRONT_END, "fe1", "127.0.0.1:1");

    private static Scrape frontEnd(long t, int ok, int failed, int fast, int slow) {
        return new Scrape(
                FRONT_END, t, Metrics.parse("""
                        # HELP cleave_front_end_requests_total requests
                        cleave_front_end_requests_total{op="insert",outcome="204",} %d.0
                        cleave_front_end_requests_total{op="insert",outcome="503",} %d.0
                        cleave_front_end_request_seconds_bucket{op="insert",class="none",status="2xx",le="0.001",} %d.0
                        cleave_front_end_request_seconds_bucket{op="insert",class="none",status="2xx",le="0.01",} %d.0
                        cleave_front_end_request_seconds_bucket{op="insert",class="none",status="2xx",le="+Inf",} %d.0
                        cleave_front_end_request_seconds_bucket{op="query",class="table-scan",status="2xx",le="+Inf",} 900.0
                        not a sample at all
                        """.formatted(ok, failed, fast, fast + slow, fast + slow), Figures.NAMES));
    }

    @Test
    void ratesAreThoseBetweenTwoScrapes() {
        FrontEnd figures = Figures.frontEnd(frontEnd(1000, 100, 5, 0, 0), frontEnd(3000, 500, 9, 90, 10));

        assertThat(figures.rate()).isEqualTo(202);
        assertThat(figures.errors()).isEqualTo(2);
        assertThat(figures.p50()).isEqualTo(556);
        assertThat(figures.p99()).isEqualTo(9100);
        assertThat(figures.up()).isTrue();
    }

    @Test
    void theFirstScrapeHasNoRates() {
        FrontEnd figures = Figures.frontEnd(null, frontEnd(1000, 100, 5, 50, 50));

        assertThat(figures).isEqualTo(new FrontEnd("fe1", "127.0.0.1:1", true, 0, 0, 0, 0));
    }

    @Test
    void aRestartedProcessCountsAnew() {
        FrontEnd figures = Figures.frontEnd(frontEnd(1000, 5000, 0, 9, 9), frontEnd(2000, 30, 0, 1, 1));

        assertThat(figures.rate()).isEqualTo(30);
    }

    @Test
    void aProcessThatDoesNotAnswerIsDown() {
        assertThat(Figures.frontEnd(frontEnd(1, 1, 1, 1, 1), new Scrape(FRONT_END, 2000, null))
                        .up())
                .isFalse();
        DfsPart dfs = Figures.dfs(null, new Scrape(new Target(Kind.DFS, "dfs-1", "x:1"), 5, null));
        assertThat(dfs).isEqualTo(new DfsPart("dfs-1", "node", false, "", -1, -1));
    }

    @Test
    void aNodeOfTheDfsTellsItsDisk() {
        Target node = new Target(Kind.DFS, "dfs-1", "x:1");
        String text = "cleave_dfs_disk_free_bytes 5.0E9\ncleave_dfs_appended_bytes_total ";

        DfsPart dfs = Figures.dfs(
                new Scrape(node, 1000, Metrics.parse(text + "1000", Figures.NAMES)),
                new Scrape(node, 2000, Metrics.parse(text + "4000", Figures.NAMES)));

        assertThat(dfs).isEqualTo(new DfsPart("dfs-1", "node", true, "", 5_000_000_000L, 3000));
    }

    private static DfsPart now(Kind kind, String text) {
        return Figures.dfs(null, new Scrape(new Target(kind, "d", "x:1"), 1000, Metrics.parse(text, Figures.NAMES)));
    }

    @Test
    void whatIsWrongWithAPartOfTheDfsIsSaid() {
        assertThat(now(Kind.DFS, "cleave_ready 1.0\ncleave_dfs_disk_space_state 0.0\n")
                        .state())
                .isEmpty();
        assertThat(now(Kind.DFS, "cleave_ready 0.0\ncleave_dfs_disk_space_state 0.0\n")
                        .state())
                .isEqualTo("not ready");
        assertThat(now(Kind.DFS, "cleave_ready 0.0\ncleave_dfs_disk_space_state 1.0\n")
                        .state())
                .isEqualTo("short of space: writes are refused");
        assertThat(now(Kind.DFS, "cleave_dfs_disk_space_state 2.0\n").state()).isEqualTo("full: appends wait");
        assertThat(now(Kind.BOOKIE, "bookie_SERVER_STATUS 0\n").state()).isEqualTo("read-only");
        assertThat(now(Kind.BOOKIE, "bookie_SERVER_STATUS 1\n").state()).isEmpty();
    }

    @Test
    void whatABookieDoesNotTellIsNotKnown() {
        assertThat(now(Kind.BOOKIE, "cleave_ready 1.0\n")).isEqualTo(new DfsPart("d", "bookie", true, "", -1, -1));
        assertThat(now(Kind.BOOKIE, "bookie_WRITE_BYTES 7\n")).isEqualTo(new DfsPart("d", "bookie", true, "", -1, 0));
    }

    @Test
    void aQuantileBeyondTheLastBoundIsThatBound() {
        TreeMap<Double, Double> buckets = new TreeMap<>();
        assertThat(Figures.quantile(buckets, 0.5)).isZero();
        buckets.put(1.0, 1.0);
        buckets.put(Double.POSITIVE_INFINITY, 10.0);

        assertThat(Figures.quantile(buckets, 0.5)).isEqualTo(1);
    }

    @Test
    void samplesThatNobodyWantsAreLeftOut() {
        assertThat(Metrics.parse("a 1\na_b 2\na{x=\"1 2\",} 3\n# TYPE a gauge\n", Set.of("a"))
                        .samples())
                .containsOnly(Map.entry("a", 1.0), Map.entry("a{x=\"1 2\",}", 3.0));
    }

    @Test
    void boundsAreFoundAmongLabelsWithSimilarNames() {
        Metrics metrics = Metrics.parse("x_bucket{role=\"a\",le=\"0.5\",} 3\nx_bucket{role=\"b\",le=\"0.5\",} 4\n");

        assertThat(metrics.buckets("x")).containsExactly(Map.entry(0.5, 7.0));
        assertThat(metrics.buckets("x", "role=\"a\"")).containsExactly(Map.entry(0.5, 3.0));
    }
}
