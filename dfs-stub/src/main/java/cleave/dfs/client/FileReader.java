package cleave.dfs.client;

import cleave.dfs.Dfs.FileInfo;
import cleave.dfs.DfsException;
import cleave.dfs.DfsException.Reason;
import cleave.dfs.link.NodeLink;
import cleave.dfs.link.NodeLink.ExtentBytes;
import cleave.dfs.link.NodeLink.FileList;
import cleave.dfs.link.NodeLink.LengthAnswer;
import cleave.dfs.link.NodeLink.Piece;
import cleave.dfs.state.ExtentPlace;
import cleave.dfs.state.FileEntry;
import cleave.dfs.state.NamesAnswer;
import cleave.dfs.state.NamesAnswer.Outcome;
import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Reads and describes files, extent by extent. Thread-safe. */
final class FileReader {
    private static final int LIST_PIECE = 1000;

    private final NodeLink link;
    private final int pieceBytes;

    FileReader(NodeLink link, int pieceBytes) {
        this.link = link;
        this.pieceBytes = pieceBytes;
    }

    CompletableFuture<ByteString> read(String node, String path, long offset, int length) {
        return lookUp(node, path, Reason.DELETED)
                .thenCompose(file -> read(node, file, offset, length, ByteString.EMPTY));
    }

    private CompletableFuture<FileEntry> lookUp(String node, String path, Reason ofDeleted) {
        return link.lookUp(node, List.of(path)).thenApply(answers -> {
            NamesAnswer answer = answers.get(0);
            FileEntry file = answer.file();
            if (file == null) {
                throw new DfsException(answer.outcome() == Outcome.DELETED ? ofDeleted : Reason.NOT_FOUND, path);
            }
            return file;
        });
    }

    /** Reads until there are {@code length} bytes or the file ends. */
    private CompletableFuture<ByteString> read(
            String node, FileEntry file, long offset, int length, ByteString before) {
        int missing = length - before.size();
        long at = offset + before.size();
        ExtentPlace extent = extentAt(file, at);
        if (missing <= 0 || extent == null) {
            return CompletableFuture.completedFuture(before);
        }
        int piece = Math.min(missing, pieceBytes);
        return link.read(node, new Piece(extent.id(), at - extent.start(), piece, extent.length()))
                .thenCompose(answer -> {
                    ByteString bytes = bytes(file, extent, answer);
                    ByteString all = before.concat(bytes);
                    boolean isAll = bytes.isEmpty() || (!extent.isSealed() && bytes.size() < piece);
                    return isAll ? CompletableFuture.completedFuture(all) : read(node, file, offset, length, all);
                });
    }

    private static @org.jspecify.annotations.Nullable ExtentPlace extentAt(FileEntry file, long offset) {
        for (ExtentPlace extent : file.extents()) {
            if (offset >= extent.start() && (!extent.isSealed() || offset < extent.end())) {
                return extent;
            }
        }
        return null;
    }

    private static ByteString bytes(FileEntry file, ExtentPlace extent, ExtentBytes answer) {
        return switch (answer.status()) {
            case OK -> answer.bytes();
            case DELETED -> throw new DfsException(Reason.DELETED, file.path());
            case DAMAGED -> throw new DfsException(Reason.DAMAGED, "extent " + extent.id() + " of " + file.path());
            case FENCED, WRONG_OFFSET, WRONG_NODE, NO_SPACE ->
                throw new DfsException(
                        Reason.UNAVAILABLE, "extent " + extent.id() + " of " + file.path() + ": " + answer.status());
        };
    }

    CompletableFuture<FileInfo> stat(String node, String path) {
        return lookUp(node, path, Reason.NOT_FOUND).thenCompose(file -> {
            if (file.isSealed()) {
                return CompletableFuture.completedFuture(new FileInfo(path, file.sealedLength(), true));
            }
            ExtentPlace last = file.last();
            return link.visible(node, List.of(last.id()))
                    .thenApply(answers ->
                            new FileInfo(path, last.start() + length(path, answers.get(0), Reason.NOT_FOUND), false));
        });
    }

    static long length(String path, LengthAnswer answer, Reason ofDeleted) {
        return switch (answer.status()) {
            case OK -> answer.length();
            case DELETED -> throw new DfsException(ofDeleted, path);
            case DAMAGED -> throw new DfsException(Reason.DAMAGED, path);
            case FENCED, WRONG_OFFSET, WRONG_NODE, NO_SPACE -> throw new DfsException(Reason.UNAVAILABLE, path);
        };
    }

    CompletableFuture<List<FileInfo>> list(String node, String prefix) {
        return list(node, prefix, "", new ArrayList<>());
    }

    private CompletableFuture<List<FileInfo>> list(String node, String prefix, String after, List<FileInfo> found) {
        return link.list(node, prefix, after, LIST_PIECE)
                .thenCompose(piece -> withLengths(node, piece).thenCompose(files -> {
                    found.addAll(files);
                    return piece.more()
                            ? list(node, prefix, found.get(found.size() - 1).path(), found)
                            : CompletableFuture.completedFuture(List.copyOf(found));
                }));
    }

    private CompletableFuture<List<FileInfo>> withLengths(String node, FileList piece) {
        List<FileEntry> open =
                piece.files().stream().filter(file -> !file.isSealed()).toList();
        if (open.isEmpty()) {
            return CompletableFuture.completedFuture(infos(piece.files(), List.of()));
        }
        List<Long> extents = open.stream().map(file -> file.last().id()).toList();
        return link.visible(node, extents).thenApply(lengths -> infos(piece.files(), lengths));
    }

    /** An open extent of unknown length counts as empty, so the file consists of its sealed extents. */
    private static List<FileInfo> infos(List<FileEntry> files, List<LengthAnswer> lengthsOfOpen) {
        List<FileInfo> infos = new ArrayList<>(files.size());
        int open = 0;
        for (FileEntry file : files) {
            long length = file.sealedLength();
            if (!file.isSealed()) {
                length += lengthsOfOpen.get(open).length();
                open++;
            }
            infos.add(new FileInfo(file.path(), length, file.isSealed()));
        }
        return infos;
    }
}
