package cleave.master.state;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.master.state.MasterCommand.AllocateTableIds;
import cleave.master.state.MasterCommand.DeclareDead;
import cleave.master.state.MasterCommand.DropDone;
import cleave.master.state.MasterCommand.DropTable;
import cleave.master.state.MasterCommand.Handoff;
import cleave.master.state.MasterCommand.Initialize;
import cleave.master.state.MasterCommand.NoOp;
import cleave.master.state.MasterCommand.Publish;
import cleave.master.state.MasterCommand.RaiseLevel;
import cleave.master.state.MasterCommand.Register;
import cleave.master.state.MasterCommand.UseDfs;
import cleave.model.FeatureLevels;
import cleave.model.Incarnation;
import cleave.model.KeyRange;
import cleave.model.Row;
import cleave.wire.ErrorCode;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class MasterStateTest {
    private final Script script = Script.started();

    @Test
    void theFirstStartMakesOneRowWithoutOwnerAndManifest() {
        assertThat(script.state().rows().all()).hasSize(1);
        Row row = script.rowAt(0);
        assertThat(row.range()).isEqualTo(KeyRange.ALL);
        assertThat(row.owner()).isNull();
        assertThat(row.manifest()).isNull();
        assertThat(row.version()).isEqualTo(script.state().mapVersion());
    }

    @Test
    void aSecondFirstStartChangesNothing() {
        MasterState before = script.state();
        assertThat(script.apply(new Initialize("c")).isOk()).isTrue();
        assertThat(script.state()).isSameAs(before);
    }

    @Test
    void aRegistrationEndsTheEarlierIncarnationOfItsServer() {
        Incarnation first = script.register("s1");
        Incarnation second = script.register("s1");
        assertThat(second.number()).isEqualTo(script.index()).isGreaterThan(first.number());
        assertThat(script.state().isLive(first)).isFalse();
        assertThat(script.state().isKnownDead(first)).isTrue();
        assertThat(script.state().isLive(second)).isTrue();
        assertThat(script.state().mapVersion()).isEqualTo(script.index());
    }

    @Test
    void aCopyOfTheDfsTakesItsPlaceAndWhoWasRegisteredBeforeIsDead() {
        Incarnation s1 = script.register("s1");
        script.apply(new RaiseLevel(FeatureLevels.DFS, List.of(s1)));
        long version = script.state().mapVersion();
        assertThat(script.apply(new UseDfs("", "first", version)).isOk()).isTrue();
        assertThat(script.state().dfs()).isEqualTo("first");
        assertThat(script.state().isLive(s1)).as("it is on that DFS").isTrue();

        assertThat(script.apply(new UseDfs("first", "second", version)).isOk()).isTrue();

        assertThat(script.state().dfs()).isEqualTo("second");
        assertThat(script.state().isKnownDead(s1)).isTrue();
        assertThat(script.state().mapVersion()).isEqualTo(script.index());
        MasterState moved = script.state();
        assertThat(script.apply(new UseDfs("first", "second", version)).isOk())
                .as("repeated")
                .isTrue();
        assertThat(script.state()).isSameAs(moved);
        Publish publish = new Publish(s1, script.rowAt(0).id(), script.rowAt(0).version(), "17/m-1");
        assertThat(script.apply(publish).code()).isEqualTo(ErrorCode.DEAD_INCARNATION);
        assertThat(SnapshotCodec.decode(SnapshotCodec.encode(moved), FeatureLevels.SUPPORTED))
                .isEqualTo(moved);
    }

    @Test
    void aDfsThatWasJudgedByAnotherMapOrOriginTakesNoPlace() {
        script.apply(new RaiseLevel(FeatureLevels.DFS, List.of()));
        long version = script.state().mapVersion();
        script.apply(new UseDfs("", "first", version - 1));
        assertThat(script.state().dfs()).as("the first is taken on trust").isEqualTo("first");
        MasterState before = script.state();
        assertThat(script.apply(new UseDfs("", "second", version)).code()).isEqualTo(ErrorCode.STALE_VERSION);
        assertThat(script.apply(new UseDfs("first", "second", version - 1)).code())
                .isEqualTo(ErrorCode.STALE_VERSION);
        assertThat(script.state()).isSameAs(before);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a/b", "a b", "-a", "\u00e4", "a\u0000"})
    void aServerIdThatCannotStandInAFileNameIsRefused(String id) {
        MasterState before = script.state();
        assertThat(script.apply(new Register(id, "host:1")).code()).isEqualTo(ErrorCode.INVALID);
        assertThat(script.state()).isSameAs(before);
    }

    @Test
    void aServerWithoutAddressIsRefused() {
        assertThat(script.apply(new Register("s1", " ")).code()).isEqualTo(ErrorCode.INVALID);
    }

    @Test
    void whoeverIsDeclaredDeadIsDeadForEver() {
        Incarnation dead = script.register("s1");
        script.apply(new DeclareDead(List.of(dead)));
        assertThat(script.state().isLive(dead)).isFalse();
        assertThat(script.state().address(dead)).isNull();
        MasterState before = script.state();
        script.apply(new DeclareDead(List.of(dead)));
        assertThat(script.state()).isSameAs(before);
    }

    @Test
    void declaringAnOldIncarnationDeadDoesNotHurtTheNewOne() {
        Incarnation old = script.register("s1");
        Incarnation young = script.register("s1");
        script.apply(new DeclareDead(List.of(old)));
        assertThat(script.state().isLive(young)).isTrue();
    }

    @Test
    void anIncarnationFromTheFutureIsUnknownNotDead() {
        assertThat(script.state().isKnownDead(new Incarnation("s9", script.index() + 1)))
                .isFalse();
    }

    @Test
    void anOwnerPublishesUnderItsVersionAndKeepsItsEpoch() {
        Incarnation owner = owned();
        Row before = script.rowAt(0);
        MasterAnswer answer = script.apply(new Publish(owner, before.id(), before.version(), "m/2"));
        Row after = script.rowAt(0);
        assertThat(answer.rows()).containsExactly(after);
        assertThat(after.manifest()).isEqualTo("m/2");
        assertThat(after.version()).isEqualTo(script.index());
        assertThat(after.epoch()).isEqualTo(before.epoch());
    }

    @Test
    void aPublishThatIsRepeatedIsDoneAlready() {
        Incarnation owner = owned();
        Row before = script.rowAt(0);
        Publish publish = new Publish(owner, before.id(), before.version(), "m/2");
        script.apply(publish);
        script.register("s7");
        MasterState after = script.state();
        MasterAnswer again = script.apply(publish);
        assertThat(again.isOk()).isTrue();
        assertThat(again.rows()).containsExactly(script.rowAt(0));
        assertThat(script.state()).isSameAs(after);
    }

    @Test
    void aPublishOnAnOldVersionIsRefusedWithTheRowAsItIs() {
        Incarnation owner = owned();
        Row before = script.rowAt(0);
        script.apply(new Publish(owner, before.id(), before.version(), "m/2"));
        MasterState after = script.state();
        MasterAnswer late = script.apply(new Publish(owner, before.id(), before.version(), "m/3"));
        assertThat(late.code()).isEqualTo(ErrorCode.STALE_VERSION);
        assertThat(late.rows()).containsExactly(script.rowAt(0));
        assertThat(script.state()).isSameAs(after);
    }

    @Test
    void onlyTheOwnerPublishes() {
        owned();
        Row row = script.rowAt(0);
        Incarnation stranger = script.register("s2");
        MasterAnswer answer = script.apply(new Publish(stranger, row.id(), row.version(), "m/2"));
        assertThat(answer.code()).isEqualTo(ErrorCode.STALE_VERSION);
        assertThat(script.rowAt(0)).isEqualTo(row);
    }

    @Test
    void whatTheDeadAskForIsRefused() {
        Incarnation owner = owned();
        Row row = script.rowAt(0);
        Publish done = new Publish(owner, row.id(), row.version(), "m/2");
        script.apply(done);
        Row published = script.rowAt(0);
        script.apply(new DeclareDead(List.of(owner)));
        assertThat(script.apply(new Publish(owner, row.id(), published.version(), "m/3"))
                        .code())
                .isEqualTo(ErrorCode.DEAD_INCARNATION);
        assertThat(script.apply(done).code()).isEqualTo(ErrorCode.DEAD_INCARNATION);
        assertThat(script.apply(Script.takeover(published, owner, "m/4")).code())
                .isEqualTo(ErrorCode.DEAD_INCARNATION);
        assertThat(script.rowAt(0)).isEqualTo(published);
    }

    @Test
    void aPublishOfARangeThatIsGoneOrOfNoManifestIsRefused() {
        Incarnation owner = owned();
        Row row = script.rowAt(0);
        assertThat(script.apply(new Publish(owner, row.id() + 1, row.version(), "m/2"))
                        .code())
                .isEqualTo(ErrorCode.STALE_VERSION);
        assertThat(script.apply(new Publish(owner, row.id(), row.version(), "")).code())
                .isEqualTo(ErrorCode.INVALID);
    }

    @Test
    void tableIdsBeginAtOneAndAreNeverGivenTwice() {
        assertThat(script.apply(new AllocateTableIds(3)).firstTable()).isEqualTo(1);
        assertThat(script.apply(new AllocateTableIds(1)).firstTable()).isEqualTo(4);
        assertThat(script.apply(new AllocateTableIds(1)).firstTable()).isEqualTo(5);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, MasterState.ALLOCATION_MAX + 1})
    void aForeignNumberOfTableIdsIsRefused(int count) {
        assertThat(script.apply(new AllocateTableIds(count)).code()).isEqualTo(ErrorCode.INVALID);
        assertThat(script.state().nextTable()).isEqualTo(1);
    }

    @Test
    void aDropIsPendingUntilItIsDone() {
        script.apply(new AllocateTableIds(5));
        Drop drop = new Drop("account", "orders", 3);
        assertThat(script.apply(new DropTable(drop)).isOk()).isTrue();
        assertThat(script.state().drops().values()).containsExactly(drop);
        assertThat(script.apply(new DropTable(drop)).isOk()).isTrue();
        script.apply(new DropDone(3));
        assertThat(script.state().drops()).isEmpty();
        assertThat(script.apply(new DropDone(3)).isOk()).isTrue();
    }

    @Test
    void aDropOfAnIdThatWasNeverGivenOutIsRefused() {
        script.apply(new AllocateTableIds(5));
        assertThat(script.apply(new DropTable(new Drop("a", "registry", 0))).code())
                .isEqualTo(ErrorCode.INVALID);
        assertThat(script.apply(new DropTable(new Drop("a", "later", 6))).code())
                .isEqualTo(ErrorCode.INVALID);
        assertThat(script.apply(new DropTable(new Drop("", "", 2))).code()).isEqualTo(ErrorCode.INVALID);
        assertThat(script.state().drops()).isEmpty();
    }

    @Test
    void oneIdIsNotDroppedUnderTwoNames() {
        script.apply(new AllocateTableIds(5));
        script.apply(new DropTable(new Drop("a", "orders", 3)));
        assertThat(script.apply(new DropTable(new Drop("a", "others", 3))).code())
                .isEqualTo(ErrorCode.INVALID);
    }

    static Stream<MasterCommand> oneOfEach() {
        return CommandCodecTest.oneOfEach();
    }

    @ParameterizedTest
    @MethodSource("oneOfEach")
    void everyKindOfCommandHasAStep(MasterCommand command) {
        assertThat(script.apply(command).index()).isEqualTo(script.index());
    }

    @Test
    void aNoOpChangesNothing() {
        MasterState before = script.state();
        assertThat(script.apply(new NoOp()).isOk()).isTrue();
        assertThat(script.state()).isSameAs(before);
    }

    private Incarnation owned() {
        Incarnation owner = script.register("s1");
        Handoff takeover = Script.takeover(script.rowAt(0), owner, "m/1");
        assertThat(script.apply(takeover).isOk()).isTrue();
        return owner;
    }
}
