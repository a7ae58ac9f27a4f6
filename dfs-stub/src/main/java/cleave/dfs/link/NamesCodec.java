package cleave.dfs.link;

import cleave.dfs.state.DeletedPaths;
import cleave.dfs.state.ExtentPlace;
import cleave.dfs.state.FileEntry;
import cleave.dfs.state.IdIntervals;
import cleave.dfs.state.NamesAnswer;
import cleave.dfs.state.NamesAnswer.Outcome;
import cleave.dfs.state.NamesCommand;
import cleave.dfs.state.NamesState;
import cleave.wire.EndedServer;
import cleave.wire.FileStatus;
import cleave.wire.IdInterval;
import cleave.wire.NamesOutcome;
import cleave.wire.NamesSnapshot;
import java.util.List;
import java.util.Map;
import org.pcollections.TreePMap;

/**
 * The state machine of names on the wire and on disk. Pure. Malformed input is an IllegalArgumentException or a
 * violation.
 *
 * <p>Each extent names its node as its one replica, because earlier versions require it there; nothing reads it.
 */
public final class NamesCodec {
    private NamesCodec() {}

    public static cleave.wire.NamesCommand wire(NamesCommand command, String node) {
        cleave.wire.NamesCommand.Builder wire = cleave.wire.NamesCommand.newBuilder();
        if (command instanceof NamesCommand.CreateFile create) {
            wire.getCreateBuilder()
                    .setPath(create.path())
                    .setToken(create.token())
                    .addReplicas(node);
        } else if (command instanceof NamesCommand.AddExtent add) {
            wire.getAddBuilder()
                    .setPath(add.path())
                    .setPredecessor(add.predecessor())
                    .setSealedLength(add.sealedLength())
                    .addReplicas(node);
        } else if (command instanceof NamesCommand.MarkSealing mark) {
            wire.getMarkBuilder().setPath(mark.path());
        } else if (command instanceof NamesCommand.RecordSealed record) {
            wire.getRecordBuilder()
                    .setPath(record.path())
                    .setExtent(record.extent())
                    .setLength(record.length());
        } else if (command instanceof NamesCommand.DeleteFile delete) {
            wire.getDeleteBuilder().setPath(delete.path());
        } else if (command instanceof NamesCommand.FinishDelete finish) {
            wire.getFinishBuilder().setPath(finish.path());
        } else {
            throw new AssertionError("unhandled command " + command);
        }
        return wire.build();
    }

    public static NamesCommand command(cleave.wire.NamesCommand wire) {
        return switch (wire.getCommandCase()) {
            case CREATE ->
                new NamesCommand.CreateFile(
                        wire.getCreate().getPath(), wire.getCreate().getToken());
            case ADD ->
                new NamesCommand.AddExtent(
                        wire.getAdd().getPath(),
                        wire.getAdd().getPredecessor(),
                        wire.getAdd().getSealedLength());
            case MARK -> new NamesCommand.MarkSealing(wire.getMark().getPath());
            case RECORD ->
                new NamesCommand.RecordSealed(
                        wire.getRecord().getPath(),
                        wire.getRecord().getExtent(),
                        wire.getRecord().getLength());
            case DELETE -> new NamesCommand.DeleteFile(wire.getDelete().getPath());
            case FINISH -> new NamesCommand.FinishDelete(wire.getFinish().getPath());
            case COMMAND_NOT_SET -> throw new IllegalArgumentException("no command");
        };
    }

    public static cleave.wire.NamesAnswer wire(NamesAnswer answer, String node) {
        cleave.wire.NamesAnswer.Builder wire =
                cleave.wire.NamesAnswer.newBuilder().setOutcome(wire(answer.outcome()));
        FileEntry file = answer.file();
        if (file != null) {
            wire.setFile(wire(file, node));
        }
        return wire.build();
    }

    public static NamesAnswer answer(cleave.wire.NamesAnswer wire) {
        Outcome outcome = outcome(wire.getOutcome());
        return new NamesAnswer(outcome, wire.hasFile() ? file(wire.getFile()) : null);
    }

    private static NamesOutcome wire(Outcome outcome) {
        return switch (outcome) {
            case DONE -> NamesOutcome.NAMES_DONE;
            case EXISTS -> NamesOutcome.NAMES_EXISTS;
            case NOT_FOUND -> NamesOutcome.NAMES_NOT_FOUND;
            case DELETED -> NamesOutcome.NAMES_DELETED;
            case SEALING -> NamesOutcome.NAMES_SEALING;
            case SEALED -> NamesOutcome.NAMES_SEALED;
            case STALE -> NamesOutcome.NAMES_STALE;
        };
    }

    private static Outcome outcome(NamesOutcome wire) {
        return switch (wire) {
            case NAMES_DONE -> Outcome.DONE;
            case NAMES_EXISTS -> Outcome.EXISTS;
            case NAMES_NOT_FOUND -> Outcome.NOT_FOUND;
            case NAMES_DELETED -> Outcome.DELETED;
            case NAMES_SEALING -> Outcome.SEALING;
            case NAMES_SEALED -> Outcome.SEALED;
            case NAMES_STALE -> Outcome.STALE;
            case UNRECOGNIZED -> throw new IllegalArgumentException("unknown outcome");
        };
    }

    private static FileStatus wire(FileEntry.Status status) {
        return switch (status) {
            case OPEN -> FileStatus.FILE_OPEN;
            case SEALING -> FileStatus.FILE_SEALING;
            case SEALED -> FileStatus.FILE_SEALED;
        };
    }

    private static FileEntry.Status status(FileStatus wire) {
        return switch (wire) {
            case FILE_OPEN -> FileEntry.Status.OPEN;
            case FILE_SEALING -> FileEntry.Status.SEALING;
            case FILE_SEALED -> FileEntry.Status.SEALED;
            case UNRECOGNIZED -> throw new IllegalArgumentException("unknown status");
        };
    }

    public static cleave.wire.FileEntry wire(FileEntry file, String node) {
        cleave.wire.FileEntry.Builder wire = cleave.wire.FileEntry.newBuilder()
                .setPath(file.path())
                .setToken(file.token())
                .setStatus(wire(file.status()));
        for (ExtentPlace extent : file.extents()) {
            wire.addExtentsBuilder()
                    .setId(extent.id())
                    .setStart(extent.start())
                    .setLength(extent.length())
                    .addReplicas(node);
        }
        return wire.build();
    }

    public static FileEntry file(cleave.wire.FileEntry wire) {
        List<ExtentPlace> extents = wire.getExtentsList().stream()
                .map(place -> new ExtentPlace(place.getId(), place.getStart(), place.getLength()))
                .toList();
        FileEntry.Status status = status(wire.getStatus());
        return FileEntry.of(wire.getPath(), wire.getToken(), status, extents);
    }

    /** Restores a snapshot, or adds one of the parts of a checkpoint. */
    public static NamesState restored(NamesState before, NamesSnapshot part) {
        TreePMap<String, FileEntry> files = before.files();
        for (cleave.wire.FileEntry file : part.getFilesList()) {
            files = files.plus(file.getPath(), file(file));
        }
        TreePMap<String, FileEntry> deleting = before.deleting();
        for (cleave.wire.FileEntry file : part.getDeletingList()) {
            deleting = deleting.plus(file.getPath(), file(file));
        }
        DeletedPaths deleted = before.deleted();
        for (EndedServer server : part.getEndedList()) {
            deleted = deleted.with(server.getServer(), server.getLatest(), intervals(server.getOrdinalsList()));
        }
        for (String path : part.getDeletedList()) {
            deleted = deleted.plus(path);
        }
        return new NamesState(Math.max(before.nextExtent(), part.getNextExtent()), files, deleting, deleted);
    }

    public static EndedServer wire(String server, DeletedPaths.Ended ended) {
        return EndedServer.newBuilder()
                .setServer(server)
                .setLatest(ended.latest())
                .addAllOrdinals(wire(ended.ordinals()))
                .build();
    }

    private static IdIntervals intervals(List<IdInterval> wire) {
        IdIntervals ids = IdIntervals.EMPTY;
        for (IdInterval interval : wire) {
            ids = ids.plus(interval.getFirst(), interval.getLast());
        }
        return ids;
    }

    public static List<IdInterval> wire(IdIntervals ids) {
        return ids.lastByFirst().entrySet().stream().map(NamesCodec::wire).toList();
    }

    public static IdInterval wire(Map.Entry<Long, Long> bounds) {
        return IdInterval.newBuilder()
                .setFirst(bounds.getKey())
                .setLast(bounds.getValue())
                .build();
    }
}
