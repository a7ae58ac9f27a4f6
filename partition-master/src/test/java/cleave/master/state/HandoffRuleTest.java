package cleave.master.state;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.master.state.MasterCommand.DeclareDead;
import cleave.master.state.MasterCommand.Handoff;
import cleave.master.state.MasterCommand.Publish;
import cleave.master.state.MasterCommand.SourceRow;
import cleave.master.state.MasterCommand.TargetRow;
import cleave.model.Incarnation;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.Row;
import cleave.wire.ErrorCode;
import java.util.List;
import org.junit.jupiter.api.Test;

class HandoffRuleTest {
    private final Script script = Script.started();
    private final Incarnation s1 = script.register("s1");
    private final Incarnation s2 = script.register("s2");

    @Test
    void aRowWithoutOwnerIsTakenOverAndKeepsItsId() {
        Row before = script.rowAt(0);
        MasterAnswer answer = script.apply(Script.takeover(before, s1, "m/1"));
        Row after = script.rowAt(0);
        assertThat(answer.rows()).containsExactly(after);
        assertThat(after.id()).isEqualTo(before.id());
        assertThat(after.owner()).isEqualTo(s1);
        assertThat(after.manifest()).isEqualTo("m/1");
        assertThat(after.version()).isEqualTo(script.index());
        assertThat(after.epoch()).isEqualTo(script.index());
    }

    @Test
    void aLivingOwnerIsNotRobbed() {
        script.apply(Script.takeover(script.rowAt(0), s1, "m/1"));
        refuses(Script.takeover(script.rowAt(0), s2, "m/2"), ErrorCode.INVALID, "live incarnation");
    }

    @Test
    void aDeadOwnersRowIsTakenOver() {
        script.apply(Script.takeover(script.rowAt(0), s1, "m/1"));
        script.apply(new DeclareDead(List.of(s1)));
        assertThat(script.apply(Script.takeover(script.rowAt(0), s2, "m/2")).isOk())
                .isTrue();
        assertThat(script.rowAt(0).owner()).isEqualTo(s2);
    }

    @Test
    void ofTwoTakersTheFirstWins() {
        Row row = script.rowAt(0);
        script.apply(Script.takeover(row, s1, "m/1"));
        MasterAnswer second = refuses(Script.takeover(row, s2, "m/2"), ErrorCode.STALE_VERSION, "gone");
        assertThat(second.rows()).containsExactly(script.rowAt(0));
    }

    @Test
    void aTakeoverThatIsRepeatedIsDoneAlreadyWhateverElseHasChanged() {
        Handoff takeover = Script.takeover(script.rowAt(0), s1, "m/1");
        script.apply(takeover);
        script.register("s3");
        MasterState after = script.state();
        MasterAnswer again = script.apply(takeover);
        assertThat(again.isOk()).isTrue();
        assertThat(again.rows()).containsExactly(script.rowAt(0));
        assertThat(script.state()).isSameAs(after);
    }

    @Test
    void aLateTakeoverAfterTheRowMovedOnChangesNothing() {
        Handoff late = Script.takeover(script.rowAt(0), s2, "m/late");
        script.apply(Script.takeover(script.rowAt(0), s1, "m/1"));
        Row row = script.rowAt(0);
        script.apply(new Publish(s1, row.id(), row.version(), "m/2"));
        refuses(late, ErrorCode.STALE_VERSION, "gone");
    }

    @Test
    void anOwnerSplitsItsRangeAmongLiveServers() {
        Row parent = given();
        MasterAnswer answer = script.apply(Script.split(parent, List.of(3L, 7L), List.of(s1, s2)));
        assertThat(answer.rows())
                .hasSize(3)
                .containsExactlyElementsOf(script.state().rows().all());
        assertThat(answer.rows()).extracting(Row::owner).containsExactly(s1, s2, s1);
        assertThat(answer.rows())
                .extracting(Row::id)
                .containsExactly(Row.id(script.index(), 0), Row.id(script.index(), 1), Row.id(script.index(), 2));
        assertThat(script.state().rows().row(parent.id())).isNull();
    }

    @Test
    void aSplitThatIsRepeatedIsDoneAlreadyEvenWhenAPartHasMovedOn() {
        Handoff split = Script.split(given(), List.of(3L), List.of(s1, s2));
        script.apply(split);
        Row first = script.rowAt(0);
        script.apply(new Publish(s1, first.id(), first.version(), "m/9"));
        MasterState after = script.state();
        MasterAnswer again = script.apply(split);
        assertThat(again.isOk()).isTrue();
        assertThat(again.rows())
                .hasSize(2)
                .containsExactlyElementsOf(after.rows().all());
        assertThat(script.state()).isSameAs(after);
    }

    @Test
    void neighboursBecomeOneRange() {
        script.apply(Script.split(given(), List.of(3L), List.of(s1)));
        Row left = script.rowAt(0);
        Row right = script.rowAt(3);
        Handoff merge = new Handoff(
                s1,
                List.of(
                        new SourceRow(left.id(), left.version(), true),
                        new SourceRow(right.id(), right.version(), true)),
                List.of(new TargetRow(KeyRange.ALL, s1, "m/merged")));
        assertThat(script.apply(merge).isOk()).isTrue();
        assertThat(script.state().rows().all()).hasSize(1);
        assertThat(script.rowAt(0).id()).isEqualTo(Row.id(script.index(), 0));
    }

    @Test
    void rangesThatAreNoNeighboursDoNotBecomeOne() {
        script.apply(Script.split(given(), List.of(3L, 7L), List.of(s1)));
        Row left = script.rowAt(0);
        Row right = script.rowAt(7);
        Handoff merge = new Handoff(
                s1,
                List.of(
                        new SourceRow(left.id(), left.version(), true),
                        new SourceRow(right.id(), right.version(), true)),
                List.of(new TargetRow(KeyRange.ALL, s1, "m/merged")));
        refuses(merge, ErrorCode.INVALID, "sources must be adjacent");
        Handoff twice = new Handoff(
                s1,
                List.of(new SourceRow(left.id(), left.version(), true), new SourceRow(left.id(), left.version(), true)),
                List.of(new TargetRow(left.range(), s1, "m/merged")));
        refuses(twice, ErrorCode.INVALID, "sources must be adjacent");
    }

    @Test
    void theWordIsTheOwnersToGive() {
        Row row = given();
        Handoff forged = new Handoff(
                s2,
                List.of(new SourceRow(row.id(), row.version(), true)),
                List.of(new TargetRow(row.range(), s2, "m/2")));
        refuses(forged, ErrorCode.INVALID, "cannot consent for the owner");
    }

    @Test
    void anOwnerGivesItsRangeAway() {
        Row row = given();
        Handoff move = new Handoff(
                s1,
                List.of(new SourceRow(row.id(), row.version(), true)),
                List.of(new TargetRow(row.range(), s2, "m/2")));
        assertThat(script.apply(move).isOk()).isTrue();
        assertThat(script.rowAt(0).owner()).isEqualTo(s2);
        assertThat(script.rowAt(0).id()).isEqualTo(row.id());
        assertThat(script.rowAt(0).epoch()).isEqualTo(script.index());
    }

    @Test
    void nothingIsGivenToTheDead() {
        Row row = given();
        script.apply(new DeclareDead(List.of(s2)));
        refuses(Script.split(row, List.of(3L), List.of(s1, s2)), ErrorCode.INVALID, "no live incarnation");
    }

    @Test
    void aTakerTakesForItselfAndWhole() {
        Row row = script.rowAt(0);
        SourceRow source = new SourceRow(row.id(), row.version(), false);
        Key middle = Key.beforeTable(3);
        refuses(
                new Handoff(s1, List.of(source), List.of(new TargetRow(KeyRange.ALL, s2, "m/1"))),
                ErrorCode.INVALID,
                "its taker's");
        Handoff inParts = new Handoff(
                s1,
                List.of(source),
                List.of(
                        new TargetRow(new KeyRange(Key.MIN, middle), s1, "m/1"),
                        new TargetRow(new KeyRange(middle, null), s1, "m/2")));
        refuses(inParts, ErrorCode.INVALID, "one source and one target");
    }

    @Test
    void targetsTileTheSources() {
        Row row = given();
        SourceRow source = new SourceRow(row.id(), row.version(), true);
        Key low = Key.beforeTable(3);
        Key high = Key.beforeTable(5);
        TargetRow first = new TargetRow(new KeyRange(Key.MIN, low), s1, "m/1");
        TargetRow gap = new TargetRow(new KeyRange(high, null), s1, "m/2");
        refuses(new Handoff(s1, List.of(source), List.of(first, gap)), ErrorCode.INVALID, "must be adjacent");
        refuses(new Handoff(s1, List.of(source), List.of(first)), ErrorCode.INVALID, "targets cover");
        TargetRow overlapping = new TargetRow(new KeyRange(Key.beforeTable(2), null), s1, "m/3");
        refuses(new Handoff(s1, List.of(source), List.of(first, overlapping)), ErrorCode.INVALID, "adjacent");
    }

    @Test
    void aBoundInsideAPartitionIsRefused() {
        Row row = given();
        Key inside = Key.of(3, "de", "0042");
        Handoff dividing = new Handoff(
                s1,
                List.of(new SourceRow(row.id(), row.version(), true)),
                List.of(
                        new TargetRow(new KeyRange(Key.MIN, inside), s1, "m/1"),
                        new TargetRow(new KeyRange(inside, null), s1, "m/2")));
        refuses(dividing, ErrorCode.INVALID, "between partitions");
    }

    @Test
    void aHandoffWithoutSourceTargetOrManifestIsRefused() {
        Row row = given();
        SourceRow source = new SourceRow(row.id(), row.version(), true);
        refuses(new Handoff(s1, List.of(), List.of()), ErrorCode.INVALID, "at least one");
        refuses(new Handoff(s1, List.of(source), List.of()), ErrorCode.INVALID, "at least one");
        TargetRow nameless = new TargetRow(KeyRange.ALL, s1, "");
        refuses(new Handoff(s1, List.of(source), List.of(nameless)), ErrorCode.INVALID, "manifest");
    }

    @Test
    void aPublishAndAHandoffOnOneVersionNeverBothSucceed() {
        Row row = given();
        Handoff split = Script.split(row, List.of(3L), List.of(s1, s2));
        script.apply(new Publish(s1, row.id(), row.version(), "m/2"));
        MasterAnswer answer = refuses(split, ErrorCode.STALE_VERSION, "gone");
        assertThat(answer.rows()).containsExactly(script.rowAt(0));
    }

    /** The whole key space, owned by s1. */
    private Row given() {
        script.apply(Script.takeover(script.rowAt(0), s1, "m/given"));
        return script.rowAt(0);
    }

    private MasterAnswer refuses(Handoff command, ErrorCode code, String because) {
        MasterState before = script.state();
        MasterAnswer answer = script.apply(command);
        assertThat(answer.code()).isEqualTo(code);
        assertThat(answer.message()).contains(because);
        assertThat(script.state()).isSameAs(before);
        return answer;
    }
}
