package cleave.dfs.state;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.dfs.link.NamesCodec;
import cleave.dfs.node.Checkpoint;
import cleave.dfs.state.NamesAnswer.Outcome;
import cleave.dfs.state.NamesCommand.AddExtent;
import cleave.dfs.state.NamesCommand.CreateFile;
import cleave.dfs.state.NamesCommand.DeleteFile;
import cleave.dfs.state.NamesCommand.FinishDelete;
import cleave.dfs.state.NamesCommand.MarkSealing;
import cleave.dfs.state.NamesCommand.RecordSealed;
import cleave.wire.NodeCheckpoint;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Properties that hold after any commands in any order. */
final class NamesStatePropertyTest {
    /** With numbers and without, of two servers, and of two incarnations. */
    private static final List<String> PATHS = List.of(
            "a",
            "c/d",
            "ranges/1.0/5-s1.8-log-1",
            "ranges/1.0/5-s1.8-manifest-2",
            "ranges/2.0/6-s1.9-log-1",
            "ranges/2.0/6-s1.9-log-2",
            "ranges/1.0/7-s1.9-checkpoint-4",
            "ranges/3.0/9-s-2.11-log-1");

    @Provide
    Arbitrary<List<NamesCommand>> commands() {
        Arbitrary<String> paths = Arbitraries.of(PATHS);
        Arbitrary<Long> ids = Arbitraries.longs().between(1, 6);
        Arbitrary<Long> lengths = Arbitraries.longs().between(0, 3);
        Arbitrary<NamesCommand> command = Arbitraries.oneOf(
                Combinators.combine(paths, Arbitraries.longs().between(0, 2)).as(CreateFile::new),
                Combinators.combine(paths, ids, lengths).as(AddExtent::new),
                paths.map(MarkSealing::new),
                Combinators.combine(paths, ids, lengths).as(RecordSealed::new),
                paths.map(DeleteFile::new),
                paths.map(FinishDelete::new));
        return command.list().ofMaxSize(40);
    }

    @Property
    void sealedLengthsAndDeletionsStandAndIdsAreNotReused(@ForAll("commands") List<NamesCommand> commands) {
        NamesState state = NamesState.EMPTY;
        Map<String, Long> sealed = new HashMap<>();
        Map<Long, Long> sealedExtents = new HashMap<>();
        Set<String> deleted = new HashSet<>();
        for (NamesCommand command : commands) {
            long before = state.nextExtent();
            NamesState.Step step = state.step(command);
            assertThat(step.changed()).isEqualTo(!step.state().equals(state));
            state = step.state();
            assertThat(state.nextExtent()).isBetween(before, before + 1);
            for (FileEntry file : state.files().values()) {
                assertThat(deleted).doesNotContain(file.path());
                if (file.isSealed()) {
                    Long first = sealed.putIfAbsent(file.path(), file.sealedLength());
                    assertThat(first == null || first == file.sealedLength()).isTrue();
                } else {
                    assertThat(sealed).doesNotContainKey(file.path());
                }
                for (ExtentPlace extent : file.extents()) {
                    assertThat(extent.id()).isLessThan(state.nextExtent());
                    if (extent.isSealed()) {
                        Long first = sealedExtents.putIfAbsent(extent.id(), extent.length());
                        assertThat(first == null || first == extent.length()).isTrue();
                    }
                }
            }
            if (command instanceof DeleteFile delete) {
                deleted.add(delete.path());
            }
            for (String path : deleted) {
                assertThat(state.step(new CreateFile(path, 1)).answer().outcome())
                        .isEqualTo(Outcome.EXISTS);
                assertThat(state.step(new MarkSealing(path)).answer().outcome()).isEqualTo(Outcome.DELETED);
                assertThat(state.lookUp(path).outcome()).isEqualTo(Outcome.DELETED);
            }
        }
    }

    /** Besides what was deleted, only new names of incarnations that a later one followed are refused. */
    @Property
    void whatWasNotDeletedIsRefusedOnlyIfItsIncarnationIsOver(@ForAll("commands") List<NamesCommand> commands) {
        NamesState state = NamesState.EMPTY;
        Set<String> deleted = new HashSet<>();
        Map<String, Long> latest = new HashMap<>();
        for (NamesCommand command : commands) {
            String path = command.path();
            boolean lived = state.files().containsKey(path);
            NamesState.Step step = state.step(command);
            state = step.state();
            NumberedName name = NumberedName.of(path);
            boolean over = name != null && latest.getOrDefault(name.server(), 0L) > name.incarnation();
            if (lived) {
                assertThat(step.answer().outcome()).isNotEqualTo(Outcome.DELETED);
                assertThat(state.files().containsKey(path)).isEqualTo(!(command instanceof DeleteFile));
            } else if (!deleted.contains(path) && !over) {
                assertThat(step.answer().outcome()).isNotIn(Outcome.DELETED, Outcome.EXISTS);
            }
            boolean tells = command instanceof DeleteFile
                    || (command instanceof CreateFile && step.answer().outcome() == Outcome.DONE);
            if (name != null && tells) {
                latest.merge(name.server(), name.incarnation(), Math::max);
            }
            if (command instanceof DeleteFile) {
                deleted.add(path);
            }
        }
    }

    @Property
    void whatIsLoggedGivesTheSameStateAgain(@ForAll("commands") List<NamesCommand> commands) {
        NamesState state = NamesState.EMPTY;
        NamesState again = NamesState.EMPTY;
        for (NamesCommand command : commands) {
            NamesState.Step step = state.step(command);
            state = step.state();
            again = step.changed() ? again.redo(command) : again;
            assertThat(again).isEqualTo(state);
        }
    }

    @Property
    void aCommandRepeatedAtOnceChangesNothingAndIsAnsweredTheSame(@ForAll("commands") List<NamesCommand> commands) {
        NamesState state = NamesState.EMPTY;
        for (NamesCommand command : commands) {
            NamesState.Step once = state.step(command);
            NamesState.Step twice = once.state().step(command);
            assertThat(twice.state()).isEqualTo(once.state());
            if (!(command instanceof DeleteFile)) {
                assertThat(twice.answer()).isEqualTo(once.answer());
            }
            assertThat(twice.answer().outcome()).isEqualTo(once.answer().outcome());
            state = once.state();
        }
    }

    @Property
    void nothingIsAddedOnceAFileIsSealing(@ForAll("commands") List<NamesCommand> commands) {
        NamesState state = NamesState.EMPTY;
        for (NamesCommand command : commands) {
            FileEntry before = state.files().get(command.path());
            NamesState.Step step = state.step(command);
            FileEntry after = step.state().files().get(command.path());
            if (before != null && before.status() != FileEntry.Status.OPEN && after != null) {
                assertThat(after.extents()).hasSameSizeAs(before.extents());
                assertThat(step.answer().outcome() == Outcome.DONE && command instanceof AddExtent)
                        .isFalse();
            }
            state = step.state();
        }
    }

    @Property
    void stateAndCommandsSurviveTheWire(@ForAll("commands") List<NamesCommand> commands) {
        NamesState state = NamesState.EMPTY;
        for (NamesCommand command : commands) {
            assertThat(NamesCodec.command(NamesCodec.wire(command, "n1"))).isEqualTo(command);
            NamesState.Step step = state.step(command);
            assertThat(NamesCodec.answer(NamesCodec.wire(step.answer(), "n1"))).isEqualTo(step.answer());
            state = step.state();
        }
        assertThat(throughACheckpoint(state)).isEqualTo(state);
    }

    private static NamesState throughACheckpoint(NamesState state) {
        NamesState restored = NamesState.EMPTY;
        for (Iterator<NodeCheckpoint> parts = new Checkpoint("n1", 1, 0, List.of(), IdIntervals.EMPTY, state).parts();
                parts.hasNext(); ) {
            restored = NamesCodec.restored(restored, parts.next().getNames());
        }
        return restored;
    }

    @Property
    void intervalsAreASet(@ForAll List<@net.jqwik.api.constraints.LongRange(min = 1, max = 40) Long> ids) {
        IdIntervals intervals = IdIntervals.EMPTY;
        TreeSet<Long> set = new TreeSet<>();
        for (long id : ids) {
            intervals = intervals.plus(id);
            set.add(id);
        }
        for (long id = 0; id <= 42; id++) {
            assertThat(intervals.contains(id)).isEqualTo(set.contains(id));
        }
        long gaps = set.stream().filter(id -> !set.contains(id - 1)).count();
        assertThat(intervals.lastByFirst()).hasSize((int) gaps);
    }
}
