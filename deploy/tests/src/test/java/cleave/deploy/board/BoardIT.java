package cleave.deploy.board;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import cleave.board.Pace;
import cleave.board.frame.Axis;
import cleave.board.frame.Frame;
import cleave.board.frame.FrameReader;
import cleave.board.frame.Measure;
import cleave.board.frame.Parties.DfsPart;
import cleave.board.http.BoardServer.Listen;
import cleave.board.recording.Replay;
import cleave.board.scrape.Scrape.Kind;
import cleave.deploy.RawTables;
import cleave.deploy.admin.AdminClient;
import cleave.deploy.board.BoardProcess.Keeping;
import cleave.deploy.role.AdminServer;
import cleave.deploy.role.ListenAddress;
import cleave.deploy.standalone.Standalone;
import cleave.deploy.standalone.StandaloneConfig;
import cleave.runtime.loop.Await;
import cleave.runtime.rpc.Address;
import io.prometheus.client.CollectorRegistry;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The board of a real standalone, and the recording that it leaves. */
class BoardIT {
    private static final ListenAddress ANYWHERE = new ListenAddress("127.0.0.1", 0);
    private static final Listen LISTEN = new Listen("127.0.0.1", 0, null);
    private static final int FRAMES_MAX = 300;

    @TempDir
    private Path dir;

    @Test
    void whatAClientDoesIsSeenAndRemembered() throws Exception {
        CollectorRegistry registry = new CollectorRegistry();
        Path record = dir.resolve("record.jsonl");
        Path withoutPage = dir.resolve("without-page.jsonl");
        try (Standalone standalone =
                        new Standalone(new StandaloneConfig(dir.resolve("data"), ANYWHERE, Map.of()), registry);
                AdminServer admin = AdminServer.start(ANYWHERE, registry, standalone::readiness, List::of)) {
            standalone.start();
            Await.until("ready", () -> standalone.readiness().ready());
            RawTables tables = new RawTables(standalone.account());
            assertThat(tables.createTable("notes")).isIn(201, 204);
            Address metrics = new Address("127.0.0.1", admin.port());
            try (ClusterRecording alone = ClusterRecording.begin(
                            withoutPage, AdminClient.watcher(List.of(standalone.masters()), null), List.of(metrics));
                    BoardProcess board = BoardProcess.live(
                            LISTEN,
                            BoardProcess.ofOneProcess(standalone.masters(), List.of(Kind.FRONT_END, Kind.DFS), metrics),
                            new Keeping(dir.resolve("board"), record, false),
                            Pace.STEADY,
                            null)) {
                Frame frame = awaitFrame(board, tables, BoardIT::showsAll);

                assertThat(frame.parties().leader()).isEqualTo("m1");
                assertThat(frame.parties().servers()).hasSize(1);
                assertThat(get(board, "api/about")).contains("\"live\":true", "\"cluster\":\"" + cluster(board));
                assertThat(get(board, "api/view?window=10m&measure=written")).contains("\"rows\":");
                long range = frame.cells().range(0);
                Await.until("the DFS is recorded", () -> holdsTheDfs(withoutPage));
                assertThat(alone).isNotNull();
                assertThat(get(board, "api/range?id=" + range)).contains("\"live\":true", "\"owner\":\"s1\"");
            }
        }
        try (BoardProcess board = BoardProcess.replay(LISTEN, record)) {
            assertThat(get(board, "api/about")).contains("\"live\":false");
            assertThat(get(board, "api/view")).contains("\"values\":[[");
        }
    }

    private static boolean holdsTheDfs(Path recording) {
        try {
            Replay replay = Replay.of(recording);
            Frame last = replay.at(replay.to());
            return !last.isStale()
                    && last.ranges() > 0
                    && last.parties().dfs().stream().anyMatch(DfsPart::up);
        } catch (IOException noFrameYet) {
            return false;
        }
    }

    private static boolean showsAll(Frame frame) {
        return !frame.isStale()
                && IntStream.range(0, frame.cells().buckets())
                        .anyMatch(bucket -> frame.cells().value(Measure.WRITTEN, bucket) > 0)
                && frame.axis().tables().stream().map(Axis.Table::name).anyMatch(name -> name.endsWith("/notes"))
                && frame.parties().frontEnds().stream().anyMatch(frontEnd -> frontEnd.up() && frontEnd.rate() > 0)
                && frame.parties().dfs().stream().anyMatch(part -> part.up() && part.free() > 0);
    }

    private static String cluster(BoardProcess board) throws Exception {
        return get(board, "api/about").split("\"cluster\":\"")[1].split("\"")[0];
    }

    /** Writes until a frame shows what is wanted. */
    private static Frame awaitFrame(BoardProcess board, RawTables tables, Predicate<Frame> wanted) throws Exception {
        HttpResponse<InputStream> answer = HttpClient.newHttpClient()
                .send(request(board, "api/stream"), HttpResponse.BodyHandlers.ofInputStream());
        FrameReader reader = new FrameReader();
        String last = "";
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(answer.body(), UTF_8))) {
            for (int frames = 0; frames < FRAMES_MAX; ) {
                String line = lines.readLine();
                if (line.startsWith("data: ")) {
                    last = line.substring("data: ".length());
                    Frame frame = reader.frame(last.getBytes(UTF_8));
                    if (wanted.test(frame)) {
                        return frame;
                    }
                    frames++;
                    for (int i = 0; i < 50; i++) {
                        assertThat(tables.put("notes", "p" + i % 7, "r" + i, "x"))
                                .isEqualTo(204);
                    }
                }
            }
        }
        throw new AssertionError("the last frame: " + last);
    }

    private static String get(BoardProcess board, String path) throws Exception {
        HttpResponse<String> answer =
                HttpClient.newHttpClient().send(request(board, path), HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return answer.body();
    }

    private static HttpRequest request(BoardProcess board, String path) {
        return HttpRequest.newBuilder(URI.create(board.url() + path)).build();
    }
}
