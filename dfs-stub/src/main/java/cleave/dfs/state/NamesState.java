package cleave.dfs.state;

import cleave.dfs.state.FileEntry.Status;
import cleave.dfs.state.NamesAnswer.Outcome;
import cleave.dfs.state.NamesCommand.AddExtent;
import cleave.dfs.state.NamesCommand.CreateFile;
import cleave.dfs.state.NamesCommand.DeleteFile;
import cleave.dfs.state.NamesCommand.FinishDelete;
import cleave.dfs.state.NamesCommand.MarkSealing;
import cleave.dfs.state.NamesCommand.RecordSealed;
import cleave.model.Invariant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pcollections.TreePMap;

/**
 * Names, extents and sealed lengths. Immutable. Equal logs of commands give equal states.
 *
 * <p>Invariant: a sealed length never changes, and a path once deleted is never free again: a late seal or create of one must not
 * bring an empty file into being where data once lay.
 *
 * @param nextExtent the id of the next extent; ids are never reused
 * @param files those that exist, by path
 * @param deleting deleted ones whose extents may still be there
 * @param deleted what is refused; whether a path is in {@code files} is asked first
 */
public record NamesState(
        long nextExtent,
        TreePMap<String, FileEntry> files,
        TreePMap<String, FileEntry> deleting,
        DeletedPaths deleted) {

    public static final NamesState EMPTY = new NamesState(1, TreePMap.empty(), TreePMap.empty(), DeletedPaths.NONE);

    /**
     * A state and what the command that led to it is answered.
     *
     * @param changed whether the state is another than before
     */
    public record Step(NamesState state, NamesAnswer answer, boolean changed) {}

    public Step step(NamesCommand command) {
        boolean comesLate = !files.containsKey(command.path()) && deleted.contains(command.path());
        return step(command, comesLate);
    }

    /**
     * Takes a command again that changed the state when it was logged, maybe by a version with another rule of what is refused: it
     * changes the state again.
     */
    public NamesState redo(NamesCommand logged) {
        return step(logged, false).state();
    }

    /** @param comesLate whether the path is refused, because it was deleted */
    private Step step(NamesCommand command, boolean comesLate) {
        if (comesLate) {
            return late(command);
        }
        if (command instanceof CreateFile create) {
            return create(create);
        }
        if (command instanceof AddExtent add) {
            return add(add);
        }
        if (command instanceof MarkSealing mark) {
            return mark(mark);
        }
        if (command instanceof RecordSealed record) {
            return record(record);
        }
        if (command instanceof DeleteFile delete) {
            return delete(delete);
        }
        if (command instanceof FinishDelete finish) {
            return finish(finish);
        }
        throw new AssertionError("unhandled command " + command);
    }

    /** The file as it is: DONE, DELETED or NOT_FOUND. */
    public NamesAnswer lookUp(String path) {
        FileEntry file = files.get(path);
        return file == null ? absent(path) : NamesAnswer.of(Outcome.DONE, file);
    }

    /** Up to {@code limit} files whose path begins with the prefix and comes after a path, in order. */
    public List<FileEntry> list(String prefix, String after, int limit) {
        List<FileEntry> found = new ArrayList<>();
        boolean fromPrefix = after.compareTo(prefix) < 0;
        String from = fromPrefix ? prefix : after;
        for (Map.Entry<String, FileEntry> entry :
                files.tailMap(from, fromPrefix).entrySet()) {
            if (!entry.getKey().startsWith(prefix) || found.size() == limit) {
                break;
            }
            found.add(entry.getValue());
        }
        return found;
    }

    private Step late(NamesCommand command) {
        if (command instanceof CreateFile) {
            return unchanged(Outcome.EXISTS, null);
        }
        if (command instanceof DeleteFile) {
            return unchanged(Outcome.DONE, deleting.get(command.path()));
        }
        if (command instanceof FinishDelete finish) {
            return finish(finish);
        }
        return unchanged(Outcome.DELETED, null);
    }

    private Step create(CreateFile command) {
        FileEntry file = files.get(command.path());
        if (file != null) {
            boolean repeated =
                    file.token() == command.token() && !file.extents().isEmpty();
            return unchanged(repeated ? Outcome.DONE : Outcome.EXISTS, file);
        }
        ExtentPlace first = new ExtentPlace(nextExtent, 0, ExtentPlace.OPEN);
        return withExtent(FileEntry.of(command.path(), command.token(), Status.OPEN, List.of(first)));
    }

    private Step add(AddExtent command) {
        FileEntry file = files.get(command.path());
        if (file == null) {
            return unchanged(Outcome.NOT_FOUND, null);
        }
        if (file.status() != Status.OPEN) {
            return unchanged(file.isSealed() ? Outcome.SEALED : Outcome.SEALING, file);
        }
        if (file.last().id() != command.predecessor()) {
            return unchanged(isRepeated(file, command) ? Outcome.DONE : Outcome.STALE, file);
        }
        long start = file.last().start() + command.sealedLength();
        return withExtent(file.continued(command.sealedLength(), new ExtentPlace(nextExtent, start, ExtentPlace.OPEN)));
    }

    private static boolean isRepeated(FileEntry file, AddExtent command) {
        int size = file.extents().size();
        if (size < 2) {
            return false;
        }
        ExtentPlace beforeLast = file.extents().get(size - 2);
        return beforeLast.id() == command.predecessor() && beforeLast.length() == command.sealedLength();
    }

    private Step mark(MarkSealing command) {
        FileEntry file = files.get(command.path());
        if (file == null) {
            return with(FileEntry.of(command.path(), 0, Status.SEALED, List.of()), Outcome.SEALED);
        }
        if (file.status() == Status.OPEN) {
            return with(file.with(Status.SEALING), Outcome.SEALING);
        }
        return unchanged(file.isSealed() ? Outcome.SEALED : Outcome.SEALING, file);
    }

    private Step record(RecordSealed command) {
        FileEntry file = files.get(command.path());
        if (file == null) {
            return unchanged(Outcome.NOT_FOUND, null);
        }
        if (file.isSealed()) {
            return unchanged(Outcome.SEALED, file);
        }
        if (file.status() != Status.SEALING || file.last().id() != command.extent()) {
            return unchanged(Outcome.STALE, file);
        }
        return with(file.sealedAt(command.length()), Outcome.SEALED);
    }

    private Step delete(DeleteFile command) {
        String path = command.path();
        FileEntry file = files.get(path);
        boolean holdsNothing = file == null || file.extents().isEmpty();
        NamesState next = new NamesState(
                nextExtent, files.minus(path), holdsNothing ? deleting : deleting.plus(path, file), deleted.plus(path));
        return new Step(next, NamesAnswer.of(Outcome.DONE, file), true);
    }

    private Step finish(FinishDelete command) {
        if (!deleting.containsKey(command.path())) {
            return unchanged(Outcome.DONE, null);
        }
        NamesState next = new NamesState(nextExtent, files, deleting.minus(command.path()), deleted);
        return new Step(next, NamesAnswer.of(Outcome.DONE, null), true);
    }

    private NamesAnswer absent(String path) {
        return NamesAnswer.of(deleted.contains(path) ? Outcome.DELETED : Outcome.NOT_FOUND, null);
    }

    private Step withExtent(FileEntry file) {
        Invariant.check(file.last().id() == nextExtent, "%s does not end with extent %s", file, nextExtent);
        NamesState next = new NamesState(
                nextExtent + 1, files.plus(file.path(), file), deleting, deleted.afterCreating(file.path()));
        return new Step(next, NamesAnswer.of(Outcome.DONE, file), true);
    }

    private Step with(FileEntry file, Outcome outcome) {
        NamesState next = new NamesState(nextExtent, files.plus(file.path(), file), deleting, deleted);
        return new Step(next, NamesAnswer.of(outcome, file), true);
    }

    private Step unchanged(Outcome outcome, @Nullable FileEntry file) {
        return new Step(this, NamesAnswer.of(outcome, file), false);
    }
}
