package cleave.board;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.board.frame.Frame;
import cleave.board.frame.FrameReader;
import cleave.board.frame.Measure;
import cleave.board.history.Rows;
import cleave.board.history.View;
import cleave.board.http.BoardServer;
import cleave.board.http.Content;
import cleave.board.http.Unusable;
import cleave.board.recording.Unfit;
import cleave.board.scrape.Scrape;
import cleave.board.sight.Names;
import cleave.runtime.loop.Await;
import cleave.runtime.loop.Clock;
import cleave.wire.Event;
import cleave.wire.HandoffState;
import cleave.wire.Incarnation;
import cleave.wire.MapUpdate;
import cleave.wire.RangeLoad;
import cleave.wire.RangeRow;
import cleave.wire.RangeState;
import cleave.wire.ServerInfo;
import cleave.wire.Setting;
import cleave.wire.SettingMeaning;
import cleave.wire.SettingsReply;
import cleave.wire.StatusReply;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A board of a cluster that a test plays. */
class BoardTest {
    private static final View.Query MAP = new View.Query(Measure.ENTITIES, Rows.EQUAL_PARTITIONS, null, 1, 1536);

    @TempDir
    private Path folder;

    private final FakeCluster cluster = new FakeCluster();
    private final AtomicLong millis = new AtomicLong(1_000_000);
    private final Clock clock = new Clock() {
        @Override
        public long nanos() {
            return System.nanoTime();
        }

        @Override
        public long ticks() {
            return millis.addAndGet(1000) * 10_000;
        }
    };

    private Board board(@Nullable Path kept) throws IOException {
        Board.Plan plan = new Board.Plan("cleave test", Pace.STEADY, kept, null, Names.CLEAR, false);
        return new Board(plan, cluster, clock, new Random(1));
    }

    @Test
    void aBoardThatStartsBeforeItsClusterSaysSo() throws IOException {
        String silence = "no leader among the masters m1:7001 answered";
        cluster.silence = silence;
        try (Board board = board(null)) {
            assertThat(board.next().stale()).isEqualTo(silence);
            cluster.silence = null;

            Frame frame = board.next();

            assertThat(frame.isStale()).isFalse();
            assertThat(frame.n()).isEqualTo(2);
        }
    }

    @Test
    void eventsAreAskedForOnce() throws IOException {
        cluster.events.add(Event.newBuilder().setNumber(7).setKind("verdict").build());
        try (Board board = started(folder.resolve("kept"))) {
            Await.until(
                    "the next question",
                    () -> cluster.asked.contains(7L) && board.about().live());
        }

        assertThat(cluster.asked.get(0)).isZero();
        cluster.asked.clear();
        try (Board board = started(folder.resolve("kept"))) {
            Await.until("a question", () -> !cluster.asked.isEmpty());
            assertThat(cluster.asked.get(0)).as("after a restart").isEqualTo(7);
            assertThat(requireNonNull(board.whole(Long.MAX_VALUE)).told().events())
                    .hasSize(1);
        }
    }

    @Test
    void whatItRememberedIsThereAfterARestart() throws IOException {
        Path kept = folder.resolve("kept");
        try (Board board = started(kept)) {
            Await.until("a frame", () -> board.about().n() >= 1);
        }
        try (Board board = board(kept)) {
            assertThat(board.about().n()).isPositive();
            assertThat(board.view(MAP, 600_000, null).columns()).isNotEmpty();
        }
    }

    @Test
    void theFileOfAnotherClusterEndsIt() throws Exception {
        Path kept = folder.resolve("kept");
        try (Board board = started(kept)) {
            Await.until("a frame", () -> board.about().n() >= 1);
        }
        String before = Files.readString(kept);
        cluster.id = "99999999-2222-3333-4444-555555555555";

        try (Board board = started(kept)) {
            assertThatThrownBy(() -> board.ended().get(60, TimeUnit.SECONDS))
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(Unfit.class)
                    .hasMessageContaining("is the recording of cluster " + Examples.CLUSTER);
        }
        assertThat(kept).hasContent(before);
    }

    @Test
    void questionsAboutRangesShareCalls() throws Exception {
        try (Board board = started(null)) {
            Await.until("a frame", () -> board.about().n() >= 1);
            int before = cluster.whyAsked.size();
            List<byte[]> answers = new ArrayList<>();
            var first = board.range(new Content.Range(4096, 0, "", null)).toCompletableFuture();
            var same = board.range(new Content.Range(0, 3, "x", null)).toCompletableFuture();
            var none = board.range(new Content.Range(5, 0, "", null)).toCompletableFuture();
            answers.add(first.get(60, TimeUnit.SECONDS));
            answers.add(same.get(60, TimeUnit.SECONDS));

            assertThat(answers.get(0)).isEqualTo(answers.get(1));
            assertThat(new String(answers.get(0), UTF_8)).contains("\"live\":true", "\"name\":\"1.0\"");
            assertThatThrownBy(() -> none.get(60, TimeUnit.SECONDS)).hasCauseInstanceOf(Unusable.class);
            assertThat(cluster.whyAsked.stream().skip(before).filter(asked -> asked.contains(5L)))
                    .hasSize(1);
        }
    }

    @Test
    void aClusterThatHasNoRangeYetIsNotKnown() throws IOException {
        cluster.ranges = 0;
        try (Board board = started(null)) {
            Await.until("a frame", () -> board.about().n() >= 1);
            assertThat(requireNonNull(board.whole(Long.MAX_VALUE)).stale()).isEqualTo("the cluster has no ranges yet");
            assertThat(board.view(MAP, 600_000, null).columns().get(0).values()).isNull();
        }
    }

    @Test
    void settingsAreToldAndChangedInTheWordsOfTheMasters() throws Exception {
        try (Board board = board(null)) {
            assertThat(new String(board.settings().toCompletableFuture().get(60, TimeUnit.SECONDS), UTF_8))
                    .isEqualTo("{\"settings\":[{\"name\":\"balancer.split\",\"value\":\"true\",\"standard\":\"true\","
                            + "\"text\":\"Ranges are split.\"}]}");
            var changed = board.change(Map.of("balancer.split", "false")).toCompletableFuture();
            assertThat(new String(changed.get(60, TimeUnit.SECONDS), UTF_8)).contains("\"value\":\"false\"");
            assertThatThrownBy(() ->
                            board.change(Map.of("x", "y")).toCompletableFuture().get(60, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(Unusable.class)
                    .hasMessageContaining("the master refused: no such setting");
            cluster.silence = "nobody answers";
            assertThatThrownBy(() -> board.settings().toCompletableFuture().get(60, TimeUnit.SECONDS))
                    .hasMessageContaining("nobody answers");
        }
    }

    @Test
    void viewersGetTheSameLinesZippedOrNot() throws Exception {
        try (Board board = board(null);
                BoardServer server = new BoardServer(new BoardServer.Listen("127.0.0.1", 0, null), board)) {
            server.start();
            board.start(server::publish, server::viewers);
            Await.until("a frame", () -> board.about().n() >= 1);

            List<String> plain = stream(server, false);
            List<String> zipped = stream(server, true);

            assertThat(plain.get(0)).contains("\"axis\":");
            assertThat(plain.get(1)).doesNotContain("\"axis\":");
            FrameReader reader = new FrameReader();
            reader.frame(zipped.get(0).getBytes(UTF_8));
            assertThat(reader.frame(zipped.get(1).getBytes(UTF_8)).isStale()).isFalse();
            System.out.println(
                    "bytes a viewer and minute, one range: " + 60 * plain.get(1).getBytes(UTF_8).length);
        }
    }

    private static List<String> stream(BoardServer server, boolean isZipped) throws Exception {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + "/api/stream"));
        if (isZipped) {
            request.header("Accept-Encoding", "gzip");
        }
        HttpResponse<InputStream> answer =
                HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
        List<String> frames = new ArrayList<>();
        try (InputStream body = answer.body();
                BufferedReader lines =
                        new BufferedReader(new InputStreamReader(isZipped ? new GZIPInputStream(body) : body, UTF_8))) {
            while (frames.size() < 2) {
                String line = lines.readLine();
                if (line.startsWith("data: ")) {
                    frames.add(line.substring("data: ".length()));
                }
            }
        }
        return frames;
    }

    @Test
    void itAsksLessOftenTheMoreRangesThereAre() {
        Random random = new Random(1);
        assertThat(Pace.STEADY.millis(5, 0, 0, random)).isEqualTo(1000);
        assertThat(Pace.STEADY.millis(10_000, 10, 0, random)).isEqualTo(10_000);
        assertThat(new Pace(1000, 5000).millis(5, 0, 0, random)).isEqualTo(5000);
        assertThat(new Pace(1000, 5000).millis(5, 1, 0, random)).isEqualTo(1000);
        assertThat(Pace.STEADY.millis(0, 1, 50, random)).isBetween(5000L, 10_000L);
    }

    private Board started(@Nullable Path kept) throws IOException {
        Board board = board(kept);
        board.start((frame, line, whole) -> {}, () -> 1);
        return board;
    }

    /** One range of 100 entities a second on one server. */
    private static final class FakeCluster implements Source {
        private final List<Event> events = new CopyOnWriteArrayList<>();
        private final List<Long> asked = new CopyOnWriteArrayList<>();
        private final List<List<Long>> whyAsked = new CopyOnWriteArrayList<>();
        private volatile @Nullable String silence;
        private volatile int ranges = 1;
        private volatile @Nullable String split = "true";
        private volatile String id = Examples.CLUSTER;

        @Override
        public StatusReply status(boolean withNames) throws Unheard {
            String why = silence;
            if (why != null) {
                throw new Unheard(why);
            }
            Incarnation owner =
                    Incarnation.newBuilder().setServer("s1").setNumber(3).build();
            return StatusReply.newBuilder()
                    .setCluster(id)
                    .setMap(MapUpdate.newBuilder()
                            .addServers(ServerInfo.newBuilder().setIncarnation(owner))
                            .addAllRows(Collections.nCopies(
                                    ranges,
                                    RangeRow.newBuilder()
                                            .setId(4096)
                                            .setOwner(owner)
                                            .setVersion(1)
                                            .setEpoch(1)
                                            .build())))
                    .addStates(RangeState.newBuilder()
                            .setRange(4096)
                            .setState("serving")
                            .setLoad(RangeLoad.newBuilder().setEntitiesPerSecond(100)))
                    .build();
        }

        @Override
        public StatusReply why(List<Long> ranges) throws Unheard {
            whyAsked.add(ranges);
            return status(false);
        }

        @Override
        public List<HandoffState> handoffs() {
            return List.of();
        }

        @Override
        public List<Event> events(long after, int limit) {
            asked.add(after);
            return events.stream().filter(event -> event.getNumber() > after).toList();
        }

        @Override
        public SettingsReply settings() throws Unheard {
            String why = silence;
            if (why != null) {
                throw new Unheard(why);
            }
            return SettingsReply.newBuilder()
                    .addSettings(Setting.newBuilder().setName("balancer.split").setValue(String.valueOf(split)))
                    .addMeanings(SettingMeaning.newBuilder()
                            .setName("balancer.split")
                            .setStandard("true")
                            .setText("Ranges are split."))
                    .build();
        }

        @Override
        public SettingsReply change(Map<String, String> changes) throws Unheard {
            split = changes.get("balancer.split");
            if (split == null) {
                throw new Unheard("the master refused: no such setting");
            }
            return settings();
        }

        @Override
        public List<Scrape> scrapes() {
            return List.of();
        }

        @Override
        public void close() {}
    }
}
