package cleave.master.state;

import cleave.master.state.MasterCommand.Handoff;
import cleave.master.state.MasterCommand.SourceRow;
import cleave.master.state.MasterCommand.TargetRow;
import cleave.model.Fence;
import cleave.model.Incarnation;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.Row;
import cleave.wire.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Judges a handoff and applies it. Stateless.
 *
 * <p>Invariant I1: targets tile exactly the union of the sources. Invariant I2: a source is given away with its owner's consent, or
 * taken when its owner is no live incarnation and its fence is sealed, and never otherwise. Invariant I5: bounds lie between partitions.
 */
final class HandoffRule {
    private HandoffRule() {}

    static Step apply(MasterState state, Handoff command, long index) {
        if (!state.isLive(command.by())) {
            return state.dead(command.by(), index);
        }
        String problem = shapeProblem(command);
        if (problem != null) {
            return Step.refused(state, index, ErrorCode.INVALID, problem);
        }
        List<Row> sources = currentSources(state, command);
        if (sources == null) {
            return alreadyDone(state, command, index);
        }
        problem = rowsProblem(state, command, sources);
        return problem != null
                ? Step.refused(state, index, ErrorCode.INVALID, problem)
                : state.replaced(sources, targets(command, sources, index), command.sealed(), index);
    }

    /** The reason why the command is invalid in every state; null if there is none. */
    private static @Nullable String shapeProblem(Handoff command) {
        if (command.sources().isEmpty() || command.targets().isEmpty()) {
            return "a handoff has at least one source and one target";
        }
        if (command.sources().size() > Row.ORDINALS || command.targets().size() > Row.ORDINALS) {
            return "a handoff has at most " + Row.ORDINALS + " sources and targets";
        }
        for (TargetRow target : command.targets()) {
            String bounds = Legal.boundsProblem(target.range());
            if (bounds != null) {
                return bounds;
            }
            if (!Legal.isText(target.manifest())) {
                return "target " + target.range() + " has no path of a manifest: '" + target.manifest() + "'";
            }
        }
        return tilingProblem(command.targets());
    }

    private static @Nullable String tilingProblem(List<TargetRow> targets) {
        for (int i = 1; i < targets.size(); i++) {
            KeyRange before = targets.get(i - 1).range();
            KeyRange next = targets.get(i).range();
            if (!Objects.equals(next.start(), before.end())) {
                return "targets must be adjacent: " + next + " after " + before;
            }
        }
        return null;
    }

    /** The rows of all sources; null if one is gone or not at the version that the command was built on. */
    private static @Nullable List<Row> currentSources(MasterState state, Handoff command) {
        List<Row> rows = new ArrayList<>();
        for (SourceRow source : command.sources()) {
            Row row = state.rows().row(source.range());
            if (row == null || row.version() != source.version()) {
                return null;
            }
            rows.add(row);
        }
        return rows;
    }

    /**
     * The sources have moved on. If a row shows a target with the manifest that only this command could have named, it was
     * this command that moved them: answer as the first time.
     */
    private static Step alreadyDone(MasterState state, Handoff command, long index) {
        List<Row> asTheyAre = state.rows().over(union(command.targets()));
        for (SourceRow source : command.sources()) {
            Row row = state.rows().row(source.range());
            if (row != null && !asTheyAre.contains(row)) {
                asTheyAre.add(row);
            }
        }
        for (TargetRow target : command.targets()) {
            Row row = state.rows().at(target.range().start());
            if (row != null && isResult(row, target, command)) {
                return new Step(state, MasterAnswer.ok(index, asTheyAre));
            }
        }
        return state.stale(asTheyAre, index, "built on versions that are gone: " + command.sources());
    }

    private static boolean isResult(Row row, TargetRow target, Handoff command) {
        boolean newer = true;
        for (SourceRow source : command.sources()) {
            newer &= row.epoch() > source.version();
        }
        return newer
                && row.range().equals(target.range())
                && target.owner().equals(row.owner())
                && target.manifest().equals(row.manifest());
    }

    private static KeyRange union(List<TargetRow> targets) {
        return new KeyRange(
                targets.get(0).range().start(),
                targets.get(targets.size() - 1).range().end());
    }

    /** Why the rows as they are do not allow the command; null if they do. */
    private static @Nullable String rowsProblem(MasterState state, Handoff command, List<Row> sources) {
        for (int i = 1; i < sources.size(); i++) {
            Row before = sources.get(i - 1);
            if (!Objects.equals(sources.get(i).range().start(), before.range().end())) {
                return "sources must be adjacent: " + sources.get(i) + " after " + before;
            }
        }
        KeyRange given = union(command.targets());
        Key start = sources.get(0).range().start();
        @Nullable Key end = sources.get(sources.size() - 1).range().end();
        if (!given.start().equals(start) || !Objects.equals(given.end(), end)) {
            return "targets cover " + given + ", sources " + new KeyRange(start, end);
        }
        for (TargetRow target : command.targets()) {
            if (!state.isLive(target.owner())) {
                return "target " + target.range() + " would belong to " + target.owner() + ", no live incarnation";
            }
        }
        for (int i = 0; i < sources.size(); i++) {
            String problem = sourceProblem(state, command, command.sources().get(i), sources.get(i));
            if (problem != null) {
                return problem;
            }
        }
        return null;
    }

    private static @Nullable String sourceProblem(MasterState state, Handoff command, SourceRow source, Row row) {
        if (source.ownerConsent()) {
            return command.by().equals(row.owner()) ? null : command.by() + " cannot consent for the owner of " + row;
        }
        if (state.isLive(row.owner())) {
            return "the owner is a live incarnation and has not consented: " + row;
        }
        if (!isTakeover(command)) {
            return "a takeover has one source and one target, its taker's: " + row;
        }
        for (Fence needed : neededFor(state, row)) {
            if (!command.sealed().contains(needed)) {
                return "fence " + needed + " must be sealed before " + row + " is taken over";
            }
        }
        return null;
    }

    /** A range that nobody owns may have been anybody's. */
    private static List<Fence> neededFor(MasterState state, Row row) {
        if (row.owner() == null) {
            return state.fences().ofDead(state);
        }
        Fence ofOwner = state.fences().of(row.owner());
        return ofOwner == null ? List.of() : List.of(ofOwner);
    }

    private static boolean isTakeover(Handoff command) {
        return command.sources().size() == 1
                && command.targets().size() == 1
                && command.targets().get(0).owner().equals(command.by());
    }

    /** A target with the bounds of the only source keeps its id, so that names of metrics and logs outlive a takeover. */
    private static List<Row> targets(Handoff command, List<Row> sources, long index) {
        List<TargetRow> targets = command.targets();
        boolean keepsId = sources.size() == 1 && targets.size() == 1;
        List<Row> rows = new ArrayList<>();
        for (int i = 0; i < targets.size(); i++) {
            TargetRow target = targets.get(i);
            long id = keepsId ? sources.get(0).id() : Row.id(index, i);
            Incarnation owner = target.owner();
            rows.add(new Row(id, target.range(), owner, target.manifest(), index, index));
        }
        return rows;
    }
}
