package cleave.deploy.admin;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.model.Key;
import cleave.model.Row;
import cleave.model.Ticks;
import cleave.wire.Event;
import cleave.wire.Figure;
import cleave.wire.HotPartition;
import cleave.wire.MapUpdate;
import cleave.wire.Middle;
import cleave.wire.RangeLoad;
import cleave.wire.RangeRow;
import cleave.wire.RangeState;
import cleave.wire.SplitCandidate;
import cleave.wire.StatusReply;
import cleave.wire.WhyNot;
import com.google.protobuf.ByteString;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class RangeTextTest {
    private static final Figure RATE = Figure.newBuilder()
            .setName("entities-per-second")
            .setValue(2_100.5)
            .setUnit("entities/s")
            .build();
    private static final Figure PARTITION =
            Figure.newBuilder().setName("partition").setText("7/DE").build();

    private static ByteString at(String partition) {
        return Key.beforePartition(7, partition).toWire();
    }

    private static WhyNot.Builder why(String of, String reason, String text) {
        return WhyNot.newBuilder().setOf(of).setReason(reason).setText(text);
    }

    private static RangeState.Builder state() {
        return RangeState.newBuilder()
                .setRange(Row.id(9, 0))
                .setState("serving")
                .setLoad(RangeLoad.newBuilder()
                        .setEntitiesPerSecond(2_100.5)
                        .setEntitiesPerSecond30S(1_900)
                        .setEntitiesPerSecond5M(700)
                        .setWritten(1_500)
                        .setRead(500)
                        .setScanned(150)
                        .setRequests(2_000)
                        .setBytesMoved(3 << 20)
                        .setCpu(0.4)
                        .setQueueWaitMillis(1.2)
                        .setBytes(5 << 20)
                        .setMiddle(Middle.newBuilder().setAt(at("FR")).setLeft(0.48))
                        .setHottest(HotPartition.newBuilder()
                                .setFirst(at("DE"))
                                .setPart(0.71)
                                .setSamples(400))
                        .setInsertedBehind(0.03)
                        .setFirstPartition(at("AD"))
                        .setLastPartition(at("ZW"))
                        .addCandidates(SplitCandidate.newBuilder()
                                .setAt(at("FR"))
                                .setLeft(71)
                                .setRight(29)
                                .setSpanning(2)
                                .setHits(120)))
                .addWhyNot(why("split", "cooling", "it rests for 40 s, because it could not be split")
                        .setUntilTicks(Ticks.of(Instant.parse("2026-11-21T02:03:44Z"))))
                .addWhyNot(why("split", "one-partition", "one partition takes most of a hot range")
                        .addFigures(RATE)
                        .addFigures(PARTITION))
                .addWhyNot(why("merge", "alone", "it has no neighbour: there is no other range"));
    }

    @Test
    void peopleReadTheLoadTheBoundsAndWhyNothingIsDone() {
        assertThat(RangeText.of(state().build())).isEqualTo("""
                2101 entities/s over about a second (1900 over 30 s, 700 over 5 min): 1500 written, 500 read, 150 looked at by scans; 2000 requests/s.
                0.40 cores; 1.2 ms from the arrival of a request to its execution; 3.0 MiB/s moved in and out.
                5.0 MiB, which halve best at 7/FR (48% below it).
                The hottest partition is 7/DE, with 71% of 400 samples.
                Of its inserts 3% go beyond the last key, and 0% below the first.
                SAMPLED BOUND  BELOW  CROSSED  HITS
                7/FR           71%    2%        120
                No split (cooling): it rests for 40 s, because it could not be split.
                No split (one-partition): one partition takes most of a hot range.
                No merge (alone): it has no neighbour: there is no other range.
                Move: the balancer has just decided it.
                """);
    }

    @Test
    void whatALeaderOfAnOlderVersionDoesNotSayIsNamed() {
        assertThat(RangeText.of(RangeState.newBuilder().setState("serving").build()))
                .isEqualTo("""
                The leader does not know its load.
                The leader does not say what stands against its split, merge and move.
                """);
    }

    @Test
    void keysOfStrangersSendNothingToTheTerminal() {
        RangeState.Builder state = state();
        state.getLoadBuilder().getHottestBuilder().setFirst(at("\u001b[2J\u202e"));
        state.getLoadBuilder().getCandidatesBuilder(0).setAt(at("\u001b[2J"));
        state.getLoadBuilder().getMiddleBuilder().setAt(at("100%s\n"));
        state.getWhyNotBuilder(0).setText("\u001b[2J");

        assertThat(RangeText.of(state.build()))
                .contains("7/\\u001b[2J\\u202e", "7/100%s ", "(cooling): \\u001b[2J.")
                .doesNotContain("\u001b", "\u202e");
    }

    @Test
    void programsGetNumbersWithTheirUnitsAndTexts() {
        StatusReply status = StatusReply.newBuilder()
                .setMap(MapUpdate.newBuilder()
                        .addRows(RangeRow.newBuilder().setId(Row.id(9, 0)).setVersion(9)))
                .addStates(state())
                .build();

        String json = StatusText.rangesJson(status).replaceAll("\\s+", "");

        assertThat(json)
                .contains("\"load\":{\"entitiesPerSecond\":2100.5,\"entitiesPerSecond30s\":1900.0,")
                .contains("\"middle\":\"7/FR\",\"middleLeft\":0.48,")
                .contains("\"hottest\":{\"at\":\"7/DE\",\"part\":0.71,\"samples\":400}")
                .contains("\"bounds\":[{\"at\":\"7/FR\",\"left\":0.71,\"spanning\":0.02,\"hits\":120}]")
                .contains("{\"of\":\"split\",\"reason\":\"cooling\",")
                .contains("\"until\":\"2026-11-21T02:03:44")
                .contains("\"figures\":[{\"name\":\"entities-per-second\",\"value\":2100.5,\"unit\":\"entities/s\"},"
                        + "{\"name\":\"partition\",\"text\":\"7/DE\"}]");
        assertThat(EventText.json(Event.newBuilder().addFigures(RATE).build()))
                .contains("\"figures\":[{\"name\":\"entities-per-second\",\"value\":2100.5,");
    }
}
