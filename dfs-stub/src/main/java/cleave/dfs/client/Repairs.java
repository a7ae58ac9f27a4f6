package cleave.dfs.client;

import cleave.dfs.DfsException;
import cleave.dfs.DfsException.Reason;
import cleave.dfs.link.ExtentStatus;
import cleave.dfs.link.Failures;
import cleave.dfs.link.NodeLink;
import cleave.dfs.link.NodeLink.LengthAnswer;
import cleave.dfs.metrics.DfsMetrics;
import cleave.dfs.state.FileEntry;
import cleave.dfs.state.NamesAnswer;
import cleave.dfs.state.NamesCommand;
import cleave.runtime.loop.EventLoop;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives a new extent to each file whose last extent can no longer be written: seals the old extent, adds one that names
 * it and its sealed length, and lets the writer continue there. Handles many files at once and retries without limit.
 * Confined to the client's loop.
 *
 * <p>If a file turns out to be sealing, its seal is completed before its appends fail, so that their outcome is known.
 */
final class Repairs {
    private static final Logger LOG = LoggerFactory.getLogger(Repairs.class);
    private static final int BATCH_MAX = 500;

    private final EventLoop loop;
    private final NodeLink link;
    private final Connection connection;
    private final Retries retries;
    private final DfsMetrics metrics;
    private final Function<String, CompletableFuture<Long>> sealer;
    private final ArrayDeque<FileWriter> queue = new ArrayDeque<>();
    private boolean underWay;
    private int failures;

    Repairs(
            EventLoop loop,
            NodeLink link,
            Connection connection,
            Retries retries,
            DfsMetrics metrics,
            Function<String, CompletableFuture<Long>> sealer) {
        this.loop = loop;
        this.link = link;
        this.connection = connection;
        this.retries = retries;
        this.metrics = metrics;
        this.sealer = sealer;
    }

    void add(FileWriter writer) {
        queue.add(writer);
        next();
    }

    /** Repairs the waiting files, if the node can be reached. */
    void next() {
        loop.assertInside();
        String node = connection.node();
        if (underWay || queue.isEmpty() || connection.session() == null || node == null) {
            return;
        }
        List<FileWriter> batch = new ArrayList<>();
        while (!queue.isEmpty() && batch.size() < BATCH_MAX) {
            FileWriter writer = queue.remove();
            if (!writer.isEnded()) {
                batch.add(writer);
            }
        }
        underWay = true;
        List<Long> extents = batch.stream().map(writer -> writer.extent().id()).toList();
        link.fence(node, extents)
                .whenComplete((answers, failure) -> loop.submit(() -> fenced(node, batch, answers, failure)));
    }

    private void fenced(
            String node, List<FileWriter> batch, @Nullable List<LengthAnswer> answers, @Nullable Throwable failure) {
        if (answers == null) {
            again(batch, failure);
            return;
        }
        List<FileWriter> sealed = new ArrayList<>();
        List<NamesCommand> commands = new ArrayList<>();
        List<FileWriter> unreachable = new ArrayList<>();
        for (int i = 0; i < batch.size(); i++) {
            FileWriter writer = batch.get(i);
            LengthAnswer answer = answers.get(i);
            if (answer.status() == ExtentStatus.OK && answer.length() >= writer.acknowledgedOfExtent()) {
                sealed.add(writer);
                commands.add(new NamesCommand.AddExtent(
                        writer.path(), writer.extent().id(), answer.length(), List.of(node)));
            } else if (answer.status() == ExtentStatus.WRONG_NODE) {
                unreachable.add(writer);
            } else {
                endAfter(writer, answer);
            }
        }
        link.names(node, commands)
                .whenComplete((added, lost) -> loop.submit(() -> added(sealed, unreachable, added, lost)));
    }

    private static void endAfter(FileWriter writer, LengthAnswer answer) {
        String extent = "extent " + writer.extent().id() + " of " + writer.path();
        if (answer.status() == ExtentStatus.DELETED) {
            writer.end(new DfsException(Reason.DELETED, extent + " was deleted"));
            return;
        }
        LOG.error(
                "an extent lost what it had acknowledged path={} status={} length={} acknowledged={}",
                writer.path(),
                answer.status(),
                answer.length(),
                writer.acknowledgedOfExtent());
        writer.end(new DfsException(Reason.BROKEN, extent + " is damaged"));
    }

    private void added(
            List<FileWriter> batch,
            List<FileWriter> unreachable,
            @Nullable List<NamesAnswer> answers,
            @Nullable Throwable failure) {
        if (answers == null) {
            List<FileWriter> all = new ArrayList<>(batch);
            all.addAll(unreachable);
            again(all, failure);
            return;
        }
        underWay = false;
        failures = 0;
        metrics.clientRepairs(batch.size());
        for (int i = 0; i < batch.size(); i++) {
            goOn(batch.get(i), answers.get(i));
        }
        if (unreachable.isEmpty()) {
            next();
        } else {
            again(unreachable, null);
        }
    }

    private void goOn(FileWriter writer, NamesAnswer answer) {
        FileEntry file = answer.file();
        if (writer.isEnded()) {
            return;
        }
        switch (answer.outcome()) {
            case DONE -> {
                if (file == null) {
                    throw new AssertionError("an extent was added to no file: " + writer.path());
                }
                writer.begin(file.last());
            }
            case SEALING, SEALED -> sealAndEnd(writer);
            case DELETED, NOT_FOUND -> writer.end(new DfsException(Reason.DELETED, writer.path() + " was deleted"));
            case EXISTS, STALE -> {
                LOG.error(
                        "a file has another writer path={} extent={}",
                        writer.path(),
                        writer.extent().id());
                writer.end(new DfsException(Reason.BROKEN, writer.path() + " has another writer"));
            }
        }
    }

    private void sealAndEnd(FileWriter writer) {
        sealer.apply(writer.path())
                .whenComplete((length, failure) -> loop.submit(() -> {
                    if (failure == null) {
                        writer.end(new DfsException(Reason.SEALED, writer.path() + " was sealed at " + length));
                    } else if (Failures.reason(failure) == Reason.UNAVAILABLE && !writer.isEnded()) {
                        sealAndEnd(writer);
                    } else {
                        Reason reason = Failures.reason(failure) == Reason.DELETED ? Reason.DELETED : Reason.BROKEN;
                        writer.end(new DfsException(reason, writer.path() + " cannot be written", failure));
                    }
                }));
    }

    private void again(List<FileWriter> batch, @Nullable Throwable failure) {
        failures++;
        LOG.info(
                "files wait for a new extent files={} cause={}",
                batch.size(),
                failure == null
                        ? "their node is not there"
                        : Failures.cause(failure).getMessage());
        queue.addAll(batch);
        loop.schedule(retries.delayNanos(failures), () -> {
            underWay = false;
            next();
        });
    }
}
