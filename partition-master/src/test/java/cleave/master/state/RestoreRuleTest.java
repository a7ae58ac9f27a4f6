package cleave.master.state;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.master.policy.Sweep;
import cleave.master.state.MasterCommand.AllocateTableIds;
import cleave.master.state.MasterCommand.Initialize;
import cleave.master.state.MasterCommand.Publish;
import cleave.master.state.MasterCommand.Restore;
import cleave.master.state.MasterCommand.Restored;
import cleave.master.state.MasterCommand.SourceRow;
import cleave.model.Incarnation;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.Row;
import cleave.wire.ErrorCode;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RestoreRuleTest {
    private static final Key MIDDLE = Key.beforePartition(4, "de");
    private static final KeyRange LEFT = new KeyRange(Key.MIN, MIDDLE);
    private static final KeyRange RIGHT = new KeyRange(MIDDLE, null);
    private static final Drop DROP = new Drop("account", "orders", 3);

    private final Script script = new Script();
    private final Incarnation owner;

    RestoreRuleTest() {
        script.apply(new Initialize("9f3c2f5e-7a0b-4c52-8d56-1f0f5a3c7b11"));
        owner = script.register("s1");
        script.apply(Script.takeover(script.rowAt(0), owner, "ranges/12.0/12-s1.14-manifest-2"));
    }

    private static String file(Row row, String kind) {
        return "ranges/" + Row.idText(row.id()) + "/" + row.epoch() + "-restore-5f." + row.epoch() + "-" + kind + "-1";
    }

    private Restore restore(KeyRange... ranges) {
        Row source = script.rowAt(0);
        return new Restore(
                List.of(new SourceRow(source.id(), source.version(), false)),
                List.of(ranges).stream()
                        .map(range -> new Restored(range, file(source, "manifest")))
                        .toList(),
                9,
                List.of(DROP));
    }

    @Test
    void theRangesOfTheBackupReplaceThoseOfAnEmptyCluster() {
        assertThat(script.apply(restore(LEFT, RIGHT)).isOk()).isTrue();

        MasterState state = script.state();
        assertThat(state.rows().all()).extracting(Row::range).containsExactly(LEFT, RIGHT);
        assertThat(state.rows().all()).extracting(Row::epoch).containsOnly(script.index());
        assertThat(state.rows().unowned()).hasSize(2);
        assertThat(state.nextTable()).isEqualTo(9);
        assertThat(state.drops().values()).containsExactly(DROP);
        assertThat(state.mapVersion()).isEqualTo(script.index());
    }

    @Test
    void aClusterThatHasHadATableIsNotEmpty() {
        script.apply(new AllocateTableIds(1));
        refused(restore(LEFT, RIGHT), ErrorCode.CONDITION_FAILED);
    }

    @Test
    void aSecondRestoreIsRefused() {
        script.apply(restore(LEFT, RIGHT));
        refused(restore(LEFT, RIGHT), ErrorCode.CONDITION_FAILED);
    }

    /** The log that was sealed and found empty is not the last one any more. */
    @Test
    void aRowThatHasMovedSinceItsLogWasSealedIsNotReplaced() {
        Restore built = restore(LEFT, RIGHT);
        Row row = script.rowAt(0);
        script.apply(new Publish(owner, row.id(), row.version(), "ranges/12.0/16-s1.14-manifest-3"));
        refused(built, ErrorCode.STALE_VERSION);
    }

    /** A sweep may have deleted them. */
    @Test
    void filesOfAnEpochThatHasEndedAreNotRestored() {
        Row before = script.rowAt(0);
        Restored named = new Restored(KeyRange.ALL, file(before, "manifest"));
        Incarnation next = script.register("s1");
        script.apply(Script.takeover(before, next, "ranges/12.0/16-s1.18-manifest-1"));
        Row now = script.rowAt(0);

        assertThat(new Sweep(script.state(), Set.of()).judge(named.manifest())).isEqualTo(Sweep.FileState.GARBAGE);
        refused(
                new Restore(List.of(new SourceRow(now.id(), now.version(), false)), List.of(named), 9, List.of()),
                ErrorCode.INVALID);
    }

    @Test
    void noSweepTouchesTheFilesOfARestoreUnderWay() {
        assertThat(new Sweep(script.state(), Set.of()).judge(file(script.rowAt(0), "checkpoint")))
                .isEqualTo(Sweep.FileState.CURRENT);
    }

    @Test
    void rangesThatDoNotTileTheKeySpaceAreRefused() {
        refused(restore(LEFT), ErrorCode.INVALID);
        refused(restore(RIGHT), ErrorCode.INVALID);
        refused(restore(LEFT, RIGHT, RIGHT), ErrorCode.INVALID);
        refused(restore(), ErrorCode.INVALID);
        refused(restore(new KeyRange(Key.MIN, Key.of(4, "de", "r")), RIGHT), ErrorCode.INVALID);
    }

    @Test
    void aDropOfATableThatWasNeverThereIsRefused() {
        Restore right = restore(KeyRange.ALL);
        refused(new Restore(right.sources(), right.ranges(), 3, right.drops()), ErrorCode.INVALID);
        refused(new Restore(right.sources(), right.ranges(), 0, List.of()), ErrorCode.INVALID);
    }

    private void refused(Restore command, ErrorCode code) {
        MasterState before = script.state();
        assertThat(script.apply(command).code()).isEqualTo(code);
        assertThat(script.state()).isSameAs(before);
    }
}
