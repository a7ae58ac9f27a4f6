package cleave.dfs;

import cleave.dfs.Dfs.FileInfo;
import cleave.dfs.DfsException.Reason;
import cleave.runtime.loop.EventLoop;
import com.google.protobuf.ByteString;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A line of text in the DFS that is written once: one of several writers wins. Immutable.
 *
 * <p>The file is {@code PREFIX1}. A writer that ends between creating the file and writing it leaves it empty, and a
 * path can never be reused. So another writer first seals the file that it finds: if that contains a line, it is the
 * line; otherwise it never will, and the next number is tried.
 *
 * <p>Invariant: the line is in the first file, in the order of numbers, that contains one. All files before it are
 * sealed.
 */
final class WriteOnce {
    private static final int BYTES_MAX = 4_096;
    private static final int NUMBER_MAX = 1_000;

    private final String prefix;
    private final Pattern name;
    private final Predicate<String> isWhole;

    /** @param isWhole distinguishes a complete line from a truncated one */
    WriteOnce(String prefix, Predicate<String> isWhole) {
        this.prefix = prefix;
        this.name = Pattern.compile(Pattern.quote(prefix) + "(\\d{1,9})");
        this.isWhole = isWhole;
    }

    /** The line; empty if it was never written. */
    CompletableFuture<Optional<String>> read(Dfs dfs) {
        return dfs.list(prefix)
                .thenCompose(found -> firstOf(
                        dfs,
                        found.stream()
                                .filter(file -> name.matcher(file.path()).matches())
                                .sorted(Comparator.comparingInt(file -> number(file.path())))
                                .toList()));
    }

    private int number(String path) {
        Matcher matcher = name.matcher(path);
        return matcher.matches() ? Integer.parseInt(matcher.group(1)) : Integer.MAX_VALUE;
    }

    private CompletableFuture<Optional<String>> firstOf(Dfs dfs, List<FileInfo> files) {
        if (files.isEmpty()) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        return content(dfs, files.get(0).path())
                .thenCompose(held -> held == null
                        ? firstOf(dfs, files.subList(1, files.size()))
                        : CompletableFuture.completedFuture(Optional.of(held)));
    }

    private CompletableFuture<@Nullable String> content(Dfs dfs, String path) {
        return dfs.read(path, 0, BYTES_MAX).thenApply(bytes -> {
            String text = bytes.toStringUtf8();
            return isWhole.test(text) ? text : null;
        });
    }

    /** Writes the line, unless there is one; answers the line that there is then. */
    CompletableFuture<String> write(Dfs dfs, String line) {
        return write(dfs, line, 1);
    }

    private CompletableFuture<String> write(Dfs dfs, String line, int number) {
        if (number > NUMBER_MAX) {
            return CompletableFuture.failedFuture(new DfsException(
                    Reason.UNAVAILABLE, prefix + ": " + NUMBER_MAX + " writers did not finish; is one still running?"));
        }
        String path = prefix + number;
        return dfs.create(path)
                .handle((file, failure) -> {
                    if (file != null) {
                        return append(dfs, file, line);
                    }
                    return is(Reason.EXISTS, failure) || is(Reason.DELETED, failure)
                            ? settled(dfs, path)
                            : CompletableFuture.<@Nullable String>failedFuture(failure);
                })
                .thenCompose(settled -> settled)
                .thenCompose(settled ->
                        settled == null ? write(dfs, line, number + 1) : CompletableFuture.completedFuture(settled));
    }

    private static boolean is(Reason reason, Throwable failure) {
        return EventLoop.cause(failure) instanceof DfsException refused && refused.reason() == reason;
    }

    /** Whatever the outcome of the append, the sealed file shows it. */
    private CompletableFuture<@Nullable String> append(Dfs dfs, DfsFile file, String line) {
        return file.append(ByteString.copyFromUtf8(line))
                .handle((length, failure) -> settled(dfs, file.path()))
                .thenCompose(settled -> settled)
                .whenComplete((held, failure) -> file.close());
    }

    /** The permanent content of a file; null if it has none. */
    private CompletableFuture<@Nullable String> settled(Dfs dfs, String path) {
        return dfs.seal(path)
                .handle((length, failure) -> {
                    if (failure == null) {
                        return content(dfs, path);
                    }
                    return is(Reason.DELETED, failure)
                            ? CompletableFuture.<@Nullable String>completedFuture(null)
                            : CompletableFuture.<@Nullable String>failedFuture(failure);
                })
                .thenCompose(content -> content);
    }
}
