package cleave.board.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import cleave.board.Examples;
import cleave.board.Recorded;
import cleave.board.frame.Frame;
import cleave.board.frame.FrameLines;
import cleave.board.frame.FrameLines.Line;
import cleave.board.recording.Recording;
import cleave.board.recording.Replay;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The server of a recording, asked over HTTP. */
class BoardServerTest {
    private static final int FRAMES = 30;
    private static final String ADMIN = "an-administrators-token";

    @TempDir
    private Path folder;

    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private Path file;
    private BoardServer server;

    @BeforeEach
    void start() throws IOException {
        file = folder.resolve("board.jsonl");
        FrameLines lines = new FrameLines();
        try (Recording recording = Recording.open(file, Examples.HEADER, frame -> {})) {
            for (int n = 1; n <= FRAMES; n++) {
                Frame frame = Examples.full(n);
                Line line = lines.next(frame);
                recording.append(frame, line.bytes(), line.hasAxis());
            }
        }
        server = serve(null);
    }

    private BoardServer serve(@Nullable String token) throws IOException {
        return serve(token, null);
    }

    private BoardServer serve(@Nullable String token, @Nullable Acting acting) throws IOException {
        BoardServer made = new BoardServer(
                new BoardServer.Listen("127.0.0.1", 0, token), new Recorded(Replay.of(file), "test"), acting);
        made.start();
        return made;
    }

    /** Notes what it is asked to do. */
    private static final class FakePlay implements Play {
        private final List<Map<String, String>> acts = new CopyOnWriteArrayList<>();

        @Override
        public byte[] state() {
            return ("{\"acts\":" + acts.size() + "}").getBytes(UTF_8);
        }

        @Override
        public void act(Map<String, String> what) {
            if (what.isEmpty()) {
                throw new Unusable(409, "nothing is asked");
            }
            acts.add(what);
        }
    }

    private HttpResponse<String> post(String path, String body, String... headers) throws Exception {
        HttpRequest.Builder request = to(path).POST(HttpRequest.BodyPublishers.ofString(body));
        return client.send((headers.length == 0 ? request : request.headers(headers)).build(), BodyHandlers.ofString());
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private HttpRequest.Builder to(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path));
    }

    private HttpResponse<String> get(String path, String... headers) throws IOException, InterruptedException {
        HttpRequest.Builder request = to(path);
        return client.send((headers.length == 0 ? request : request.headers(headers)).build(), BodyHandlers.ofString());
    }

    @Test
    void thePageMayLoadNothingOfOthers() throws Exception {
        HttpResponse<String> page = get("/");

        assertThat(page.statusCode()).isEqualTo(200);
        assertThat(page.headers().firstValue("Content-Type")).contains("text/html; charset=utf-8");
        assertThat(page.headers().firstValue("Content-Security-Policy").orElse(""))
                .startsWith("default-src 'none'; script-src 'self'; style-src 'self'")
                .contains("frame-ancestors 'none'");
        assertThat(page.headers().firstValue("X-Content-Type-Options")).contains("nosniff");
        String tag = page.headers().firstValue("ETag").orElseThrow();
        assertThat(get("/", "If-None-Match", tag).statusCode()).isEqualTo(304);
    }

    @Test
    void onlyFilesOfThePageAreServed() throws Exception {
        for (String path : List.of(
                "/nothing.js",
                "/..%2f..%2fdeploy",
                "/%2e%2e/http/BoardServer.class",
                "/vendor/",
                "/api/nothing",
                "/index.html%00")) {
            assertThat(get(path).statusCode()).as(path).isIn(400, 404);
        }
        assertThat(raw("GET /../index.html HTTP/1.1\r\nHost: localhost\r\n\r\n"))
                .contains(" 404 ");
    }

    @Test
    void otherMethodsAreRefused() throws Exception {
        HttpResponse<String> answer = client.send(
                to("/api/about").POST(HttpRequest.BodyPublishers.ofString("x")).build(), BodyHandlers.ofString());

        assertThat(answer.statusCode()).isEqualTo(405);
        assertThat(answer.headers().firstValue("Allow")).contains("GET, HEAD");
        assertThat(client.send(
                                to("/api/about")
                                        .method("HEAD", HttpRequest.BodyPublishers.noBody())
                                        .build(),
                                BodyHandlers.ofString())
                        .body())
                .isEmpty();
    }

    @Test
    void aNameThatResolvesHereIsNotEnough() throws Exception {
        assertThat(raw("GET /api/about HTTP/1.1\r\nHost: evil.example\r\n\r\n")).contains(" 421 ");
        assertThat(raw("GET /api/about HTTP/1.1\r\nHost: localhost:1\r\n\r\n")).contains(" 200 ");
        assertThat(raw("GET /api/about HTTP/1.0\r\n\r\n")).contains(" 421 ");
    }

    @Test
    void pagesOfOtherSitesReadNothing() throws Exception {
        String own = "http://127.0.0.1:" + server.port();
        assertThat(get("/api/about", "Origin", "http://evil.example").statusCode())
                .isEqualTo(403);
        assertThat(get("/api/about", "Origin", "null").statusCode()).isEqualTo(403);
        assertThat(get("/api/about", "Sec-Fetch-Site", "cross-site").statusCode())
                .isEqualTo(403);
        assertThat(get("/api/about", "Origin", own).statusCode()).isEqualTo(200);
    }

    @Test
    void hugeHeadersAreNotRead() throws Exception {
        assertThat(raw("GET / HTTP/1.1\r\nHost: localhost\r\nX: " + "x".repeat(40_000) + "\r\n\r\n"))
                .doesNotContain(" 200 ");
    }

    @Test
    void itSaysWhatItShows() throws Exception {
        assertThat(get("/api/about").body())
                .contains("\"cluster\":\"" + Examples.CLUSTER + "\"", "\"live\":false", "\"recorded\":[1000,30000]")
                .contains("\"play\":false");
    }

    @Test
    void aViewIsAMapOverTime() throws Exception {
        String view = get("/api/view?window=10m&measure=entities&rows=equal-partitions")
                .body();

        assertThat(view).contains("\"cuts\":[[3,\"\"],[3,\"AB\"],[3,\"C\u202ED<script>\"]]", "\"rows\":4", "[0,1,2,3]");
        assertThat(get("/api/view?window=2m").statusCode()).isEqualTo(400);
        assertThat(get("/api/view?max=0").statusCode()).isEqualTo(400);
        assertThat(get("/api/view?table=x").body()).contains("table is 'x'");
    }

    @Test
    void whoTakesGzipGetsIt() throws Exception {
        HttpResponse<byte[]> view = client.send(
                to("/api/view").header("Accept-Encoding", "br, gzip").build(), BodyHandlers.ofByteArray());

        assertThat(view.headers().firstValue("Content-Encoding")).contains("gzip");
        assertThat(get("/api/view", "Accept-Encoding", ";,gzip; q=0").headers().firstValue("Content-Encoding"))
                .isEmpty();
        assertThat(new String(new GZIPInputStream(new ByteArrayInputStream(view.body())).readAllBytes(), UTF_8))
                .startsWith("{\"n\":30,");
    }

    @Test
    void aRangeIsFoundByItsIdAndByAPartition() throws Exception {
        String byId = get("/api/range?id=4096").body();

        assertThat(byId).contains("\"name\":\"1.0\"", "\"from\":null", "\"to\":[3,\"AB\"]", "one-partition");
        assertThat(get("/api/range?at=3,A").body()).isEqualTo(byId);
        assertThat(get("/api/range?id=1.0&until=30000").body()).isEqualTo(byId);
        assertThat(get("/api/range?id=1.x").statusCode()).isEqualTo(400);
        assertThat(get("/api/range?id=12").statusCode()).isEqualTo(404);
        assertThat(get("/api/range").statusCode()).isEqualTo(400);
    }

    @Test
    void aStreamBeginsWithAWholeFrameAndGoesOnAtItsSpeed() throws Exception {
        List<String> events = stream("/api/stream?at=5000&speed=20", 4, false);

        assertThat(events.get(0)).startsWith("id: 5 data: {\"n\":5,").contains("\"axis\":");
        assertThat(events.get(1)).startsWith("id: 6 data: {\"n\":6,").doesNotContain("\"axis\":");
        assertThat(events.get(3)).startsWith("id: 8 ");
    }

    @Test
    void aZippedStreamIsTheSame() throws Exception {
        assertThat(stream("/api/stream?speed=20", 3, true)).isEqualTo(stream("/api/stream?speed=20", 3, false));
    }

    @Test
    void whoHasTheTokenMayLook() throws Exception {
        server.close();
        server = serve("a secret");

        assertThat(get("/").statusCode()).isEqualTo(200);
        assertThat(get("/api/about").statusCode()).isEqualTo(401);
        assertThat(get("/api/about?token=a%20secret").statusCode()).isEqualTo(401);
        assertThat(get("/api/about", "Authorization", "Bearer a guess").statusCode())
                .isEqualTo(401);
        HttpResponse<String> let = get("/api/about", "Authorization", "Bearer a secret");
        assertThat(let.statusCode()).isEqualTo(200);
        String cookie = let.headers().firstValue("Set-Cookie").orElseThrow();
        assertThat(cookie).contains("HttpOnly", "SameSite=Strict").doesNotContain("secret");
        assertThat(get("/api/about", "Cookie", "a=b; " + cookie.split(";")[0]).statusCode())
                .isEqualTo(200);
    }

    @Test
    void nobodyPlaysUnlessItWasAskedFor() throws Exception {
        String[] admin = {Acting.HEADER, ADMIN, "Content-Type", "application/json"};

        assertThat(get("/api/play").statusCode()).isEqualTo(404);
        assertThat(post("/api/play", "{}", admin).statusCode()).isEqualTo(404);
        assertThat(post("/api/settings", "{}", admin).statusCode()).isEqualTo(405);
        server.close();
        server = serve(null, new Acting(ADMIN, changes -> CompletableFuture.completedFuture(new byte[0]), null));
        assertThat(get("/api/about").body()).contains("\"admin\":true", "\"play\":false");
        assertThat(post("/api/play", "{}", admin).statusCode()).isEqualTo(404);
    }

    @Test
    void onlyWhoHasTheTokenPlays() throws Exception {
        server.close();
        FakePlay play = new FakePlay();
        server = serve(null, new Acting(ADMIN, changes -> CompletableFuture.completedFuture(new byte[0]), play));
        String kill = "{\"do\":\"kill\",\"role\":\"server\",\"number\":2}";
        String own = "http://127.0.0.1:" + server.port();
        String[] json = {"Content-Type", "application/json"};

        assertThat(post("/api/play", kill, json).statusCode()).isEqualTo(403);
        assertThat(post("/api/play?admin=" + ADMIN, kill, json).statusCode()).isEqualTo(403);
        assertThat(post("/api/play", kill, json[0], json[1], "Cookie", "admin=" + ADMIN)
                        .statusCode())
                .isEqualTo(403);
        assertThat(post("/api/play", kill, json[0], json[1], Acting.HEADER, "a guess")
                        .body())
                .contains("is not the administrator's token");
        assertThat(post("/api/play", kill, json[0], json[1], Acting.HEADER, ADMIN, "Origin", "http://evil.example")
                        .statusCode())
                .isEqualTo(403);
        assertThat(post("/api/play", kill, Acting.HEADER, ADMIN, "Content-Type", "text/plain")
                        .statusCode())
                .isEqualTo(415);
        assertThat(raw("POST /api/play HTTP/1.1\r\nHost: evil.example\r\nCleave-Admin: " + ADMIN + "\r\n\r\n"))
                .contains(" 421 ");
        assertThat(client.send(
                                to("/api/play")
                                        .headers(Acting.HEADER, ADMIN)
                                        .PUT(HttpRequest.BodyPublishers.ofString(kill))
                                        .build(),
                                BodyHandlers.ofString())
                        .statusCode())
                .isEqualTo(405);
        assertThat(play.acts).isEmpty();

        HttpResponse<String> done = post("/api/play", kill, json[0], json[1], Acting.HEADER, ADMIN, "Origin", own);
        assertThat(done.statusCode()).as(done.body()).isEqualTo(200);
        assertThat(done.body()).isEqualTo("{\"acts\":1}");
        assertThat(play.acts).containsExactly(Map.of("do", "kill", "role", "server", "number", "2"));
    }

    @Test
    void whatIsNoActIsRefused() throws Exception {
        server.close();
        FakePlay play = new FakePlay();
        server = serve(null, new Acting(ADMIN, changes -> CompletableFuture.completedFuture(new byte[0]), play));
        String[] admin = {Acting.HEADER, ADMIN, "Content-Type", "application/json"};

        for (String body : List.of("", "[]", "{\"do\":{}}", "{\"do\":\"kill\"", "{} {}", "\"kill\"", "{\"a\":[1]}")) {
            assertThat(post("/api/play", body, admin).statusCode()).as(body).isEqualTo(400);
        }
        assertThat(post("/api/play", "{\"do\":\"" + "x".repeat(9_000) + "\"}", admin)
                        .statusCode())
                .isEqualTo(413);
        assertThat(post("/api/play", "{}", admin).body()).isEqualTo("nothing is asked\n");
        assertThat(play.acts).isEmpty();
    }

    @Test
    void settingsAreSeenByAllAndChangedByWhoHasTheToken() throws Exception {
        assertThat(get("/api/settings").body()).contains("a recording holds no settings");
        server.close();
        server = serve(
                null,
                new Acting(
                        ADMIN,
                        changes -> changes.containsKey("balancer.split")
                                ? CompletableFuture.completedFuture(
                                        changes.toString().getBytes(UTF_8))
                                : CompletableFuture.failedFuture(
                                        new Unusable(409, "the master refused: unknown setting")),
                        null));
        String[] admin = {Acting.HEADER, ADMIN, "Content-Type", "application/json"};

        assertThat(post("/api/settings", "{\"balancer.split\":\"false\"}").statusCode())
                .isEqualTo(403);
        assertThat(post("/api/settings", "{\"balancer.split\":\"false\"}", admin)
                        .body())
                .isEqualTo("{balancer.split=false}");
        HttpResponse<String> refused = post("/api/settings", "{\"x\":\"1\"}", admin);
        assertThat(refused.statusCode()).isEqualTo(409);
        assertThat(refused.body()).isEqualTo("the master refused: unknown setting\n");
    }

    @Test
    void viewersAreBounded() throws Exception {
        List<InputStream> open = new ArrayList<>();
        int refused = 0;
        for (int i = 0; i < 130; i++) {
            HttpResponse<InputStream> answer =
                    client.send(to("/api/stream?speed=0").build(), BodyHandlers.ofInputStream());
            refused += answer.statusCode() == 503 ? 1 : 0;
            open.add(answer.body());
        }
        for (InputStream each : open) {
            each.close();
        }

        assertThat(refused).isEqualTo(2);
    }

    /** Each event in one line. */
    private List<String> stream(String path, int count, boolean zipped) throws Exception {
        HttpRequest.Builder request = zipped ? to(path).header("Accept-Encoding", "gzip") : to(path);
        HttpResponse<InputStream> answer = client.send(request.build(), BodyHandlers.ofInputStream());
        List<String> events = new ArrayList<>();
        try (InputStream body = answer.body();
                BufferedReader lines =
                        new BufferedReader(new InputStreamReader(zipped ? new GZIPInputStream(body) : body, UTF_8))) {
            while (events.size() < count) {
                String id = lines.readLine();
                events.add(id + " " + lines.readLine() + lines.readLine());
            }
        }
        return events;
    }

    private String raw(String request) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            socket.getOutputStream().write(request.getBytes(UTF_8));
            return new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8)).readLine() + " ";
        }
    }
}
