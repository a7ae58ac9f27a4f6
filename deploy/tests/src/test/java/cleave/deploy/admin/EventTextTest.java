package cleave.deploy.admin;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.deploy.Golden;
import cleave.master.events.EventKind;
import cleave.model.HandoffNumber;
import cleave.model.Ticks;
import cleave.wire.Event;
import cleave.wire.Setting;
import java.io.IOException;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class EventTextTest {
    private static final EventText PLAIN = new EventText(ZoneOffset.UTC, false);
    private static final EventText WITH_FIGURES = new EventText(ZoneOffset.UTC, true);

    /** Each kind as masters write it. */
    private static final Map<EventKind, Event> EVENTS = events();

    private static Event.Builder event(String reason, String... evidence) {
        Event.Builder event = Event.newBuilder()
                .setNumber(7)
                .setTicks(Ticks.of(Instant.parse("2026-11-21T02:03:04.567Z")))
                .setReason(reason);
        for (String pair : evidence) {
            int equals = pair.indexOf('=');
            event.addEvidence(
                    Setting.newBuilder().setName(pair.substring(0, equals)).setValue(pair.substring(equals + 1)));
        }
        return event;
    }

    private static Event.Builder move(String... evidence) {
        return event("operator: an operator's move", "kind=move", "from=s1", "to=s2")
                .mergeFrom(event("", evidence)
                        .clearReason()
                        .clearTicks()
                        .clearNumber()
                        .build())
                .setHandoff(HandoffNumber.of(3, 17))
                .addRanges("9.0")
                .addServers("s1.4")
                .addServers("s2.5");
    }

    private static Map<EventKind, Event> events() {
        EnumMap<EventKind, Event.Builder> all = new EnumMap<>(EventKind.class);
        all.put(EventKind.LEADER_BEGUN, event("m1 leads").addServers("m1"));
        all.put(
                EventKind.SERVER_DEAD,
                event("silent for too long").addServers("s1.4").addServers("s3.2"));
        all.put(
                EventKind.TAKEOVER_ORDERED,
                event("s1.4 is dead", "version=12").addRanges("9.0").addServers("s2.5"));
        all.put(EventKind.TAKEOVER_ENDED, event("taken over").addRanges("9.0").addServers("s2.5"));
        all.put(
                EventKind.OPEN_FAILED,
                event("UNAVAILABLE no answer from the DFS", "failures=2", "retry-millis=400")
                        .addRanges("9.0")
                        .addServers("s2.5"));
        all.put(EventKind.HANDOFF_ASKED, event("operator: an operator's move", "goal=move 9.0 to s2"));
        all.put(EventKind.HANDOFF_BEGUN, move("plan=MOVE of [9.0] to [-, -) at s2"));
        all.put(EventKind.HANDOFF_ENDED, move("prepare-millis=210", "switch-micros=3100", "row=21.0"));
        all.put(EventKind.HANDOFF_GIVEN_UP, move("ended=BUSY too many requests"));
        all.put(
                EventKind.HANDOFF_REFUSED,
                event("balancer: uneven: s1.4 carries more than s2.5", "source-carries=90", "goal=move 9.0 to s2")
                        .addRanges("9.0")
                        .addRejected("takeovers go first: there are ranges without a live owner"));
        all.put(
                EventKind.VERDICT,
                event(
                                "balancer: popular partition: one partition takes most of a hot range",
                                "entities-per-second=900",
                                "partition=7/DE")
                        .addRanges("9.0")
                        .addRejected("3 bounds that too many scans cross"));
        all.put(EventKind.DRAIN_BEGUN, event("asked for").addServers("s1.4"));
        all.put(
                EventKind.DRAIN_ENDED,
                event("the server owns no range any more: it can leave").addServers("s1.4"));
        all.put(EventKind.DRAIN_UNDONE, event("asked for").addServers("s1.4"));
        all.put(EventKind.SETTINGS_CHANGED, event("asked for", "balancer.split-load=200", "balancer.merge-window=30s"));
        all.put(EventKind.LEVEL_RAISED, event("every member supports feature level 3"));
        all.put(
                EventKind.MASTERS_CHANGING,
                event("add m4 at h4:10100").addServers("m1").addServers("m2").addServers("m3"));
        all.put(
                EventKind.MASTERS_CHANGED,
                event("done: replace m3 by m4 at h4:10100")
                        .addServers("m1")
                        .addServers("m2")
                        .addServers("m4"));
        all.put(
                EventKind.MASTERS_UNCHANGED,
                event("add m4 at h4:10100: UNAVAILABLE h4:10100 does not answer")
                        .addServers("m1"));
        all.put(
                EventKind.SWEPT,
                event(
                        "files that nothing reaches any more",
                        "deleted=12",
                        "not-deleted=1",
                        "live=40",
                        "map-version=88"));
        all.put(EventKind.RESTORED, event("an operator's restore of a backup", "ranges=4"));
        all.put(
                EventKind.CLOCK_OFF,
                event("the clock of s1.4 is 3600.0 s ahead of the leader's: it gets no more ranges", "bound-seconds=5")
                        .addServers("s1.4"));
        all.put(
                EventKind.CLOCK_RIGHT,
                event("the clock of s1.4 is 0.1 s behind the leader's: it may get ranges")
                        .addServers("s1.4"));
        all.put(EventKind.HALTED, event("nothing is changed or deleted: the DFS keeps the files of cluster c2"));
        EnumMap<EventKind, Event> made = new EnumMap<>(EventKind.class);
        all.forEach((kind, event) -> made.put(kind, event.setKind(kind.text()).build()));
        return made;
    }

    private static Event of(EventKind kind) {
        return Objects.requireNonNull(EVENTS.get(kind), () -> "the test lacks an event of kind " + kind);
    }

    @ParameterizedTest
    @EnumSource(EventKind.class)
    void eachKindHasASentenceInOneLine(EventKind kind) {
        String text = PLAIN.of(of(kind));
        assertThat(text).startsWith("2026-11-21 02:03:04  ").endsWith(".\n").hasLineCount(1);
        assertThat(text.substring(21)).matches("(?s)[A-Z].*").doesNotStartWith(kind.text());
    }

    @Test
    void theSentencesAreAsReviewed() throws IOException {
        StringBuilder all = new StringBuilder();
        EVENTS.values().forEach(event -> all.append(WITH_FIGURES.of(event)));
        Golden.check("events.txt", all.toString());
    }

    @Test
    void timesAreOfTheReadersZone() {
        EventText text = new EventText(ZoneId.of("Asia/Kolkata"), false);
        assertThat(text.of(of(EventKind.DRAIN_UNDONE))).startsWith("2026-11-21 07:33:04  Server s1.4 ");
    }

    @Test
    void figuresFollowOnRequest() {
        Event verdict = of(EventKind.VERDICT);
        assertThat(WITH_FIGURES.of(verdict)).startsWith(PLAIN.of(verdict)).endsWith("""
                    .
                        entities-per-second=900  partition=7/DE
                        not done: 3 bounds that too many scans cross
                    """);
    }

    @Test
    void anEventOfANewerMasterIsShownAsItIs() {
        Event event = move("ended=BUSY")
                .setKind("handoff-frozen")
                .addRejected("later")
                .build();
        assertThat(PLAIN.of(event))
                .isEqualTo("2026-11-21 02:03:04  handoff-frozen handoff=3.17 ranges=9.0 servers=s1.4,s2.5:"
                        + " operator: an operator's move; kind=move; from=s1; to=s2; ended=BUSY; not done: later\n");
    }

    @Test
    void anEventOfAnOlderMasterNamesNoServersTwice() {
        Event event = event("operator: an operator's move")
                .setKind("handoff-ended")
                .setHandoff(HandoffNumber.of(3, 17))
                .addRanges("9.0")
                .addServers("s1.4")
                .addServers("s2.5")
                .build();
        assertThat(PLAIN.of(event))
                .isEqualTo("2026-11-21 02:03:04  Handoff of range 9.0 to s1.4 and s2.5 (handoff 3.17) is done."
                        + " Requested by an operator.\n");
    }

    @Test
    void anEventWithoutAnythingButItsKindIsStillALine() {
        for (EventKind kind : EventKind.values()) {
            assertThat(WITH_FIGURES.of(Event.newBuilder().setKind(kind.text()).build()))
                    .hasLineCount(1);
        }
    }

    @Test
    void namesOfOthersChangeNothingOnTheTerminal() {
        Event event = event("\u001b[2J\nforged  line\u202e", "partition=7/\u001b]0;x\u0007")
                .setKind("verdict")
                .addRejected("\rx\u009b1m")
                .build();
        assertThat(WITH_FIGURES.of(event).lines())
                .hasSize(3)
                .noneMatch(line -> line.chars().anyMatch(c -> Character.isISOControl(c) || c == '\u202e'));
    }

    @Test
    void manyRangesAreCountedRatherThanListed() {
        Event.Builder event = event("taken over").setKind("takeover-ended").addServers("s1.4");
        for (int i = 0; i < 100; i++) {
            event.addRanges("9." + i);
        }
        assertThat(PLAIN.of(event.build())).endsWith("Server s1.4 took over ranges 9.0, 9.1, 9.2, 9.3 and 96 more.\n");
    }

    @Test
    void programsGetAllOfItInOneLine() {
        Event event = of(EventKind.HANDOFF_REFUSED);
        assertThat(EventText.json(event))
                .isEqualTo("{\"number\":7,\"time\":\"2026-11-21T02:03:04.567Z\",\"kind\":\"handoff-refused\","
                        + "\"ranges\":[\"9.0\"],\"servers\":[],"
                        + "\"reason\":\"balancer: uneven: s1.4 carries more than s2.5\","
                        + "\"evidence\":[{\"name\":\"source-carries\",\"value\":\"90\"},"
                        + "{\"name\":\"goal\",\"value\":\"move 9.0 to s2\"}],\"figures\":[],"
                        + "\"rejected\":[\"takeovers go first: there are ranges without a live owner\"]}\n");
        assertThat(List.of(EventText.json(move("a=\u0001").setKind("x").build()).split("\n")))
                .hasSize(1);
    }
}
