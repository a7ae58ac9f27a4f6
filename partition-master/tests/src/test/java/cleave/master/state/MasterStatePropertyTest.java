package cleave.master.state;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.master.state.MasterCommand.ChangeSettings;
import cleave.master.state.MasterCommand.Drain;
import cleave.master.state.MasterCommand.Handoff;
import cleave.master.state.MasterCommand.Publish;
import cleave.master.state.MasterCommand.Register;
import cleave.master.state.MasterCommand.SeedSettings;
import cleave.model.FeatureLevels;
import cleave.model.Incarnation;
import cleave.model.Key;
import cleave.model.KnownMasters;
import cleave.model.PartitionMap;
import cleave.model.Row;
import cleave.wire.ErrorCode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.jspecify.annotations.Nullable;

class MasterStatePropertyTest {
    private static final int COMMANDS = 120;

    @Property(tries = 200)
    void theRowsTileTheKeySpaceAtEveryVersion(@ForAll long seed) {
        run(seed, (before, command, step) -> {
            List<Row> rows = List.copyOf(step.state().rows().all());
            if (rows.isEmpty()) {
                return;
            }
            @Nullable Key at = Key.MIN;
            for (Row row : rows) {
                assertThat(row.range().start()).isEqualTo(at);
                assertThat(row.range().isOfWholePartitions()).isTrue();
                at = row.range().end();
            }
            assertThat(at).isNull();
        });
    }

    @Property(tries = 200)
    void versionsAndEpochsOfARangeOnlyGrowAndIdsAreNeverUsedAgain(@ForAll long seed) {
        TreeMap<Long, Row> last = new TreeMap<>();
        TreeMap<Long, Row> gone = new TreeMap<>();
        run(seed, (before, command, step) -> {
            MasterState after = step.state();
            assertThat(after.mapVersion()).isGreaterThanOrEqualTo(before.mapVersion());
            assertThat(after.nextTable()).isGreaterThanOrEqualTo(before.nextTable());
            for (Row row : before.rows().all()) {
                if (after.rows().row(row.id()) == null) {
                    gone.put(row.id(), row);
                }
            }
            for (Row row : after.rows().all()) {
                assertThat(gone).doesNotContainKey(row.id());
                Row earlier = last.put(row.id(), row);
                if (earlier != null && !earlier.equals(row)) {
                    assertThat(row.version()).isGreaterThan(earlier.version());
                    assertThat(row.epoch()).isGreaterThanOrEqualTo(earlier.epoch());
                    boolean sameOwner = row.owner() != null && row.owner().equals(earlier.owner());
                    assertThat(row.range()).isEqualTo(earlier.range());
                    assertThat(sameOwner || row.epoch() > earlier.epoch()).isTrue();
                }
            }
        });
    }

    @Property(tries = 200)
    void aRefusedOrStaleCommandChangesNothing(@ForAll long seed) {
        run(seed, (before, command, step) -> {
            if (!step.answer().isOk()) {
                assertThat(step.state()).isSameAs(before);
            }
            if (command instanceof Publish publish && isStale(before, publish.range(), publish.version())) {
                assertThat(step.state()).isSameAs(before);
            }
            if (command instanceof Handoff handoff
                    && handoff.sources().stream()
                            .anyMatch(source -> isStale(before, source.range(), source.version()))) {
                assertThat(step.state()).isSameAs(before);
            }
        });
    }

    private static boolean isStale(MasterState state, long range, long version) {
        Row row = state.rows().row(range);
        return row == null || row.version() != version;
    }

    @Property(tries = 100)
    void drainsAndSettingsChangeNoRow(@ForAll long seed) {
        run(seed, (before, command, step) -> {
            if (command instanceof Drain || command instanceof SeedSettings || command instanceof ChangeSettings) {
                assertThat(step.state().rows()).isSameAs(before.rows());
                assertThat(step.state().servers().keySet())
                        .isEqualTo(before.servers().keySet());
            }
            if (command instanceof Register register && step.answer().isOk()) {
                assertThat(step.state().isDraining(step.answer().incarnation())).isFalse();
                assertThat(step.state().servers()).containsKey(register.server());
            }
        });
    }

    @Property(tries = 100)
    void onceThereAreSettingsTheyAreLegalAndNeverSeededAgain(@ForAll long seed) {
        run(seed, (before, command, step) -> {
            BalancerSettings after = step.state().settings();
            if (before.settings() != null && !(command instanceof ChangeSettings)) {
                assertThat(after).isEqualTo(before.settings());
            }
            if (after != null) {
                assertThat(BalancerSettings.of(after.texts())).isEqualTo(after);
            }
        });
    }

    @Property(tries = 200)
    void aCommandThatIsRepeatedAtOnceIsAnsweredAlikeAndChangesNothing(@ForAll long seed) {
        run(seed, (before, command, step) -> {
            if (command instanceof Publish || command instanceof Handoff) {
                Step again = step.state().step(command, step.answer().index() + 1);
                ErrorCode expected = step.answer().code();
                assertThat(again.answer().code()).isEqualTo(expected);
                assertThat(again.state()).isSameAs(step.state());
            }
        });
    }

    @Property(tries = 100)
    void aSnapshotHoldsTheWholeState(@ForAll long seed) {
        run(seed, (before, command, step) -> {
            MasterState restored = restored(step.state());
            assertThat(restored).isEqualTo(step.state());
        });
    }

    @Property(tries = 100)
    void theIndexesOfTheRowsAreThoseThatTheRowsThemselvesGive(@ForAll long seed) {
        run(seed, (before, command, step) -> {
            assertAgree(step.state().rows());
            assertAgree(restored(step.state()).rows());
        });
    }

    private static void assertAgree(Rows rows) {
        TreeMap<Incarnation, TreeSet<Long>> byOwner = new TreeMap<>();
        TreeSet<Long> unowned = new TreeSet<>();
        for (Row row : rows.all()) {
            Incarnation owner = row.owner();
            (owner == null ? unowned : byOwner.computeIfAbsent(owner, first -> new TreeSet<>())).add(row.id());
            assertThat(rows.row(row.id())).isEqualTo(row);
        }
        assertThat(List.copyOf(rows.owners())).isEqualTo(List.copyOf(byOwner.keySet()));
        byOwner.forEach((owner, owned) -> assertThat(rows.ownedBy(owner)).isEqualTo(owned));
        assertThat(rows.unowned()).isEqualTo(unowned);
        List<Row> byVersion = new ArrayList<>();
        rows.changedSince(-1).forEachRemaining(byVersion::add);
        List<Row> sorted = new ArrayList<>(rows.all());
        sorted.sort(Comparator.comparingLong(Row::version).thenComparingLong(row -> row.id()));
        assertThat(byVersion).isEqualTo(sorted);
    }

    /** {@link cleave.master.takeover.Openings} rests on it. */
    @Property(tries = 100)
    void theSetOfAnOwnersRangesIsAnotherObjectIfAnEpochHasChanged(@ForAll long seed) {
        run(seed, (before, command, step) -> {
            for (Incarnation owner : step.state().rows().owners()) {
                boolean isSame =
                        step.state().rows().ownedBy(owner) == before.rows().ownedBy(owner);
                if (isSame) {
                    assertThat(epochs(step.state(), owner)).isEqualTo(epochs(before, owner));
                }
                assertThat(isSame || !(command instanceof Publish)).isTrue();
            }
        });
    }

    private static List<Long> epochs(MasterState state, Incarnation owner) {
        return state.rows().ownedBy(owner).stream()
                .map(range -> Objects.requireNonNull(state.rows().row(range)).epoch())
                .toList();
    }

    private static MasterState restored(MasterState state) {
        return SnapshotCodec.decode(SnapshotCodec.encode(state), FeatureLevels.SUPPORTED);
    }

    @Property(tries = 50)
    void equalLogsGiveEqualStatesAlsoAfterASnapshotOnTheWay(@ForAll long seed) {
        List<MasterCommand> log = new ArrayList<>();
        MasterState[] end = {MasterState.EMPTY};
        run(seed, (before, command, step) -> {
            log.add(command);
            end[0] = step.state();
        });
        MasterState replica = MasterState.EMPTY;
        for (int i = 0; i < log.size(); i++) {
            replica = replica.step(log.get(i), i + 1).state();
            replica = i == log.size() / 2 ? restored(replica) : replica;
        }
        assertThat(replica).isEqualTo(end[0]);
    }

    @Property(tries = 100)
    void aWatcherThatMissesUpdatesComesToTheSameMap(@ForAll long seed) {
        PartitionMap[] watched = {PartitionMap.EMPTY};
        MasterState[] sent = {MasterState.EMPTY};
        int[] count = {0};
        run(seed, (before, command, step) -> {
            MasterState now = step.state();
            if (++count[0] % 5 != 0 || now.mapVersion() == sent[0].mapVersion()) {
                return;
            }
            watched[0] = watched[0].with(MapChanges.between(sent[0], now, KnownMasters.NONE));
            sent[0] = now;
            assertThat(List.copyOf(watched[0].rows()))
                    .isEqualTo(List.copyOf(now.rows().all()));
            assertThat(watched[0].version()).isEqualTo(now.mapVersion());
            assertThat(watched[0].servers()).hasSize(now.servers().size());
        });
    }

    @Example
    void theRandomCommandsReachSplitsMergesMovesTakeoversAndDrains() {
        int[] splits = {0};
        int[] merges = {0};
        int[] takeovers = {0};
        int[] moves = {0};
        int[] drains = {0};
        for (long seed = 0; seed < 50; seed++) {
            run(seed, (before, command, step) -> {
                int more = step.state().rows().size() - before.rows().size();
                boolean handedOff = command instanceof Handoff && !step.state().equals(before);
                splits[0] += handedOff && more > 0 ? 1 : 0;
                merges[0] += handedOff && more < 0 ? 1 : 0;
                boolean consent = command instanceof Handoff handoff
                        && handoff.sources().get(0).ownerConsent();
                takeovers[0] += handedOff && more == 0 && !consent ? 1 : 0;
                moves[0] += handedOff && more == 0 && consent ? 1 : 0;
                drains[0] += command instanceof Drain && !step.state().equals(before) ? 1 : 0;
            });
        }
        assertThat(splits[0]).isGreaterThan(100);
        assertThat(merges[0]).isGreaterThan(10);
        assertThat(takeovers[0]).isGreaterThan(20);
        assertThat(moves[0]).isGreaterThan(20);
        assertThat(drains[0]).isGreaterThan(20);
    }

    private interface Check {
        void after(MasterState before, MasterCommand command, Step step);
    }

    /** Runs random commands, of which some were made for a state of some steps ago. */
    private static void run(long seed, Check check) {
        Commands commands = new Commands(seed);
        MasterState state = MasterState.EMPTY;
        MasterState late = state;
        for (int index = 1; index <= COMMANDS; index++) {
            MasterCommand command = commands.next(index % 4 == 0 ? late : state);
            late = index % 3 == 0 ? state : late;
            Step step = state.step(command, index);
            check.after(state, command, step);
            state = step.state();
        }
    }
}
