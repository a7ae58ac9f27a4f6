package cleave.board.sight;

import static cleave.board.sight.Statuses.S1;
import static cleave.board.sight.Statuses.S2;
import static cleave.board.sight.Statuses.bound;
import static cleave.board.sight.Statuses.hottest;
import static cleave.board.sight.Statuses.load;
import static cleave.board.sight.Statuses.seen;
import static cleave.board.sight.Statuses.withServers;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import cleave.board.frame.Axis;
import cleave.board.frame.Cells;
import cleave.board.frame.Cut;
import cleave.board.frame.Figure;
import cleave.board.frame.Frame;
import cleave.board.frame.FrameWriter;
import cleave.board.frame.Measure;
import cleave.board.frame.Parties.Server;
import cleave.board.frame.Told;
import cleave.board.frame.Told.Note;
import cleave.board.scrape.Metrics;
import cleave.board.scrape.Scrape;
import cleave.wire.Event;
import cleave.wire.HandoffState;
import cleave.wire.RangeLoad;
import cleave.wire.Setting;
import cleave.wire.StatusReply;
import cleave.wire.WhyNot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class SightTest {
    private final Sight sight = new Sight(Names.CLEAR, 40);

    private static List<Long> values(Frame frame, Measure measure) {
        return IntStream.range(0, frame.cells().buckets())
                .mapToObj(bucket -> frame.cells().value(measure, bucket))
                .toList();
    }

    private static RangeLoad divided(double entities) {
        return load(entities)
                .addCandidates(bound("d", 10))
                .addCandidates(bound("k", 90))
                .build();
    }

    @Test
    void aRangeIsDividedAtItsSampledBounds() {
        Frame frame = sight.frame(
                1,
                seen(withServers(S1).range(4096, null, null, S1, divided(1000)).reply(), 1));

        assertThat(frame.axis().cuts()).containsExactly(new Cut(3, ""), new Cut(3, "d"), new Cut(3, "k"));
        assertThat(frame.axis().id()).isEqualTo(41);
        assertThat(frame.axis().tables())
                .extracting(Axis.Table::name)
                .containsExactly("the registry of tables", "a/cities");
        assertThat(values(frame, Measure.ENTITIES)).containsExactly(50L, 50L, 800L, 100L);
        assertThat(values(frame, Measure.BYTES)).containsOnly(250L);
        assertThat(frame.cells().range(3)).isEqualTo(4096);
    }

    @Test
    void aClusterWithoutRangesHasNoBuckets() {
        Frame frame = sight.frame(1, seen(withServers(S1).reply(), 1));

        assertThat(frame.cells().buckets()).isZero();
        assertThat(frame.isStale()).isFalse();
    }

    @Test
    void boundsStayWhileTheyDivideTheLoad() {
        Frame first = sight.frame(
                1,
                seen(withServers(S1).range(4096, null, null, S1, divided(1000)).reply(), 1));
        RangeLoad other = load(1000)
                .addCandidates(bound("e", 20))
                .addCandidates(bound("j", 85))
                .build();

        Frame later = first;
        for (int n = 2; n <= 130; n++) {
            later = sight.frame(
                    n, seen(withServers(S1).range(4096, null, null, S1, other).reply(), n));
        }

        assertThat(later.axis()).isSameAs(first.axis());
        assertThat(values(later, Measure.ENTITIES).stream()
                        .mapToLong(Long::longValue)
                        .sum())
                .isEqualTo(1000);
    }

    @Test
    void boundsThatDoNotDivideTheLoadAnyMoreAreReplaced() {
        Frame later = sight.frame(
                1,
                seen(withServers(S1).range(4096, null, null, S1, divided(1000)).reply(), 1));
        RangeLoad moved = load(1000)
                .addCandidates(bound("p", 30))
                .addCandidates(bound("q", 60))
                .build();

        for (int n = 2; n <= 62; n++) {
            later = sight.frame(
                    n, seen(withServers(S1).range(4096, null, null, S1, moved).reply(), n));
        }

        assertThat(later.axis().cuts())
                .contains(new Cut(3, "p"), new Cut(3, "q"))
                .doesNotContain(new Cut(3, "d"));
    }

    @Test
    void aSplitIsSeenAtOnce() {
        sight.frame(
                1,
                seen(
                        withServers(S1, S2)
                                .range(4096, null, null, S1, divided(1000))
                                .reply(),
                        1));

        Frame split = sight.frame(
                2,
                seen(
                        withServers(S1, S2)
                                .range(8193, "k", null, S2, load(100).build())
                                .range(8192, null, "k", S1, load(900).build())
                                .reply(),
                        2));

        int last = split.cells().buckets() - 1;
        assertThat(split.cells().range(last)).isEqualTo(8193);
        assertThat(split.cells().owner(last)).isEqualTo(1);
        assertThat(split.cells().owner(0)).isZero();
        assertThat(split.ranges()).isEqualTo(2);
    }

    @Test
    void thousandsOfRangesShareTheRows() {
        Statuses many = withServers(S1, S2);
        for (int i = 0; i < 4000; i++) {
            many.range(
                    4096 + i,
                    i == 0 ? null : String.format("p%05d", i),
                    i == 3999 ? null : String.format("p%05d", i + 1),
                    i % 2 == 0 ? S1 : S2,
                    load(i == 700 ? 5000 : 1).build());
        }

        Frame frame = sight.frame(1, seen(many.reply(), 1));

        assertThat(frame.cells().buckets()).isBetween(500, Axis.BUCKETS_MAX);
        assertThat(values(frame, Measure.ENTITIES).stream()
                        .mapToLong(Long::longValue)
                        .sum())
                .isEqualTo(3999 + 5000);
        assertThat(values(frame, Measure.ENTITIES)).contains(5000L);
        assertThat(IntStream.range(0, frame.cells().buckets())
                        .filter(bucket -> frame.cells().range(bucket) == 0))
                .isNotEmpty()
                .allMatch(bucket -> frame.cells().owner(bucket) == Cells.SEVERAL);
    }

    /** As many ranges as there are rows, each with a load that is now above, now below what its division needs, but for a surge of one. */
    private static StatusReply wavering(Random random, double surge) {
        Statuses many = withServers(S1);
        for (int i = 0; i < 2000; i++) {
            double load = i == 700 && surge > 0 ? surge : 0.5 + random.nextDouble();
            many.range(
                    4096 + i,
                    i == 0 ? null : String.format("p%05d", i),
                    i == 1999 ? null : String.format("p%05d", i + 1),
                    S1,
                    load(load)
                            .addCandidates(bound(String.format("p%05dm", i), 50))
                            .build());
        }
        return many.reply();
    }

    @Test
    void loadsThatWaverLeaveTheRowsAndOneThatSurgesIsDividedAtOnce() {
        Random random = new Random(1);
        Frame first = sight.frame(1, seen(wavering(random, 0), 1));
        for (int second = 2; second < 12; second++) {
            assertThat(sight.frame(second, seen(wavering(random, 0), second)).axis())
                    .isEqualTo(first.axis());
        }

        Frame surged = sight.frame(12, seen(wavering(random, 900), 12));

        assertThat(values(surged, Measure.ENTITIES)).contains(450L);
    }

    @Test
    void aServerThatDiedIsShownForAWhile() {
        StatusReply both = withServers(S1, S2)
                .range(4096, null, null, S2, load(10).build())
                .reply();
        StatusReply one =
                withServers(S1).range(4096, null, null, S2, load(10).build()).reply();

        sight.frame(1, seen(both, 1));
        Frame after = sight.frame(2, seen(one, 2));
        Frame muchLater = sight.frame(3, seen(one, 700));

        assertThat(after.parties().servers())
                .extracting(Server::id, Server::state)
                .satisfiesExactly(
                        s1 -> assertThat(s1.toList()).containsExactly("s1", "live"),
                        s2 -> assertThat(s2.toList()).containsExactly("s2", "dead"));
        assertThat(after.cells().owner(0)).isEqualTo(Cells.NOBODY);
        assertThat(after.cells().state(0) & Cells.UNOWNED).isNotZero();
        assertThat(muchLater.parties().servers()).hasSize(1);
    }

    @Test
    void decisionsAndHandoffsAreTold() {
        Event event = Event.newBuilder()
                .setNumber(9)
                .setTicks(50_000_000)
                .setKind("handoff-begun")
                .setHandoff(3L << 20 | 17)
                .addRanges("1.0")
                .setReason("balancer: hot: its load exceeds the threshold")
                .addEvidence(Setting.newBuilder().setName("at").setValue("3/d"))
                .addFigures(cleave.wire.Figure.newBuilder()
                        .setName("entities-per-second")
                        .setValue(2400)
                        .setUnit("entities/s"))
                .addRejected("a move")
                .build();
        HandoffState handoff = HandoffState.newBuilder()
                .setHandoff(3L << 20 | 17)
                .setKind("split")
                .addRanges(4096)
                .setStep("prepare")
                .build();
        StatusReply reply =
                withServers(S1).range(4096, null, null, S1, load(10).build()).reply();
        WhyNot why = WhyNot.newBuilder()
                .setOf("split")
                .setReason("not-hot")
                .setText("10 entities/s, below 2,000.")
                .build();

        Frame frame = sight.frame(
                1,
                new Seen(reply, Map.of(4096L, List.of(why)), List.of(handoff), List.of(event), List.of(), 1000, 1000));

        assertThat(frame.told().events())
                .containsExactly(new Told.Event(
                        9,
                        5000,
                        "handoff-begun",
                        List.of("1.0"),
                        List.of(),
                        "3.17",
                        "balancer: hot: its load exceeds the threshold",
                        List.of(new Figure("entities-per-second", 2400, "", "entities/s")),
                        List.of("a move")));
        assertThat(frame.parties().handoffs().get(0).ranges()).containsExactly("1.0");
        assertThat(frame.told().hottest().get(0).why())
                .containsExactly(new Told.Why("split", "not-hot", "10 entities/s, below 2,000."));
        assertThat(frame.parties().leader()).isEqualTo("m1");
        assertThat(frame.parties().term()).isEqualTo(4);
    }

    @Test
    void hashedKeysAppearNowhere() {
        Sight hashing = new Sight(Names.hashed("a secret".getBytes(UTF_8)), 0);
        RangeLoad load =
                divided(1000).toBuilder().setHottest(hottest("secretive", 0.9)).build();
        Event event = Event.newBuilder()
                .setNumber(1)
                .setKind("verdict")
                .addEvidence(Setting.newBuilder().setName("partition").setValue("3/secretive"))
                .addFigures(cleave.wire.Figure.newBuilder().setName("at").setText("[3/secretive]"))
                .build();
        WhyNot why = WhyNot.newBuilder()
                .setOf("split")
                .setReason("one-partition")
                .setText("Partition secretive has all.")
                .build();
        StatusReply reply = withServers(S1)
                .range(4096, null, "secretive", S1, load)
                .range(4097, "secretive", null, S1, load(5).build())
                .reply();

        Frame frame = hashing.frame(
                1, new Seen(reply, Map.of(4096L, List.of(why)), List.of(), List.of(event), List.of(), 1000, 1000));
        String line = new String(FrameWriter.line(frame, true), UTF_8);
        String detail = new String(
                RangeDetail.of(reply, 4096, frame.told().events(), Names.hashed("a secret".getBytes(UTF_8)))
                        .orElseThrow(),
                UTF_8);

        assertThat(line).doesNotContain("secretive", "\"d\"", "\"k\"").contains("#", "one-partition");
        assertThat(detail).doesNotContain("secretive", "\"d\"", "\"k\"").contains("#");
        assertThat(frame.axis().cuts()).contains(new Cut(3, ""));
    }

    private List<Note> notes(RangeLoad.Builder load, long second) throws IOException {
        StatusReply reply =
                withServers(S1).range(4096, null, null, S1, load.build()).reply();
        List<Note> notes = sight.frame(second, seen(reply, second)).told().notes();
        for (Note note : notes) {
            leadsSomewhere(note);
        }
        return notes;
    }

    /** The lab and the section that a note names are there. */
    private static void leadsSomewhere(Note note) throws IOException {
        Path docs = Path.of("..", "..", "..", "docs");
        try (Stream<Path> labs = Files.list(docs.resolve("labs"))) {
            assertThat(labs.map(lab -> lab.getFileName().toString()))
                    .anyMatch(name -> note.lab().isEmpty() || name.matches("\\d+-" + note.lab() + "\\.md"));
        }
        assertThat(Files.readAllLines(docs.resolve("operations.md")).stream()
                        .filter(line -> line.startsWith("#"))
                        .map(line -> line.replaceFirst("#+ ", "")
                                .toLowerCase(Locale.ROOT)
                                .replaceAll("[^a-z0-9 -]", "")
                                .replace(' ', '-')))
                .contains(note.runbook());
    }

    @Test
    void aStoreThatStallsIsDiagnosed() throws IOException {
        StatusReply reply =
                withServers(S1).range(4096, null, null, S1, load(10).build()).reply();
        Scrape scrape = new Scrape(
                new Scrape.Target(Scrape.Kind.SERVER, "s1", "127.0.0.1:1"),
                500,
                Metrics.parse("cleave_server_stores_stalled 2.0\n"));

        List<Note> notes = sight.frame(1, new Seen(reply, Map.of(), List.of(), List.of(), List.of(scrape), 1000, 1000))
                .told()
                .notes();

        assertThat(notes).hasSize(1);
        assertThat(notes.get(0).text()).startsWith("2 stores of server s1 take no writes");
        leadsSomewhere(notes.get(0));
    }

    @Test
    void oneHotPartitionIsDiagnosed() throws IOException {
        List<Note> notes = notes(load(1000).setHottest(hottest("nyc", 0.8)), 1);

        assertThat(notes).extracting(Note::kind, Note::lab).containsExactly(tuple("one-partition", "hot-partition"));
        assertThat(notes.get(0).text()).contains("'nyc'", "80 %", "1000 entities/s", "range 1.0 (a/cities)");
        assertThat(notes(load(100).setHottest(hottest("nyc", 0.8)), 2)).isEmpty();
        assertThat(notes(load(1000).setHottest(hottest("nyc", 0.3)), 3)).isEmpty();
    }

    @Test
    void anEndThatTakesAllInsertsIsDiagnosed() throws IOException {
        List<Note> notes = notes(load(400).setWritten(400).setInsertedBehind(0.97), 1);

        assertThat(notes).extracting(Note::kind).containsExactly("append-end");
        assertThat(notes.get(0).text()).contains("97 %", "behind its last key");
        assertThat(notes(load(400).setWritten(400).setInsertedBefore(0.97), 2)
                        .get(0)
                        .text())
                .contains("before its first key");
    }

    @Test
    void scansThatLookAtMuchAndReturnLittleAreDiagnosed() throws IOException {
        assertThat(notes(load(100).setScanned(50_000), 1))
                .extracting(Note::kind)
                .containsExactly("scans");
        assertThat(notes(load(20_000).setScanned(50_000), 2)).isEmpty();
    }

    @Test
    void bucketsOfTimeThatMarchAreDiagnosed() throws IOException {
        List<String> kinds = new ArrayList<>();
        int second = 0;
        for (String hour : List.of("10:00", "11:00", "12:00")) {
            second += 600;
            RangeLoad.Builder load = load(1000).setRead(0).setWritten(1000).setHottest(hottest(hour, 0.9));
            kinds.add(notes(load, second).get(0).kind());
        }

        assertThat(kinds).containsExactly("one-partition", "one-partition", "marching");
    }
}
