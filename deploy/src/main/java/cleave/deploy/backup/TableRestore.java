package cleave.deploy.backup;

import cleave.client.Answer;
import cleave.client.Continuation;
import cleave.deploy.CommandFailure;
import cleave.deploy.access.Tables;
import cleave.deploy.backup.EntityReader.Entry;
import cleave.deploy.terminal.Progress;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/**
 * Writes the entities of a table in a backup to a table of a running cluster, over the Table protocol as any client does: a few transactions at
 * a time, each of neighbouring entities of one partition. Confined to one thread, but for its own.
 */
final class TableRestore {
    /** Few, so that the cluster's clients hardly notice. */
    private static final int UNDER_WAY = 4;

    private final TableInBackup from;
    private final Tables tables;
    private final String table;
    private final Progress progress;
    private final Deque<CompletableFuture<Integer>> underWay = new ArrayDeque<>();
    private long written;

    /** @param table the name of the table that is written to */
    TableRestore(TableInBackup from, Tables tables, String table, Progress progress) {
        this.from = from;
        this.tables = tables;
        this.table = table;
        this.progress = progress;
    }

    /**
     * Creates the table if it is not there.
     *
     * @param intoExisting whether it may have entities: those of the backup are inserted or replaced then, and others stay
     */
    void prepare(boolean intoExisting) throws IOException {
        if (tables.create(table) || intoExisting) {
            return;
        }
        @Nullable Continuation at = null;
        do {
            @Nullable Continuation begin = at;
            Answer page = Tables.expect(
                    tables.send(to -> to.query(table, List.of("$top=1", "$select=RowKey"), begin)),
                    "reading table " + table);
            if (!EntityLines.ofPage(page.body()).isEmpty()) {
                throw CommandFailure.usage("table " + table + " exists and is not empty. Give another name by --as, or"
                        + " --into-existing: the entities of the backup are inserted, or replace those with their keys, and"
                        + " others stay. That also continues a restore that was interrupted");
            }
            at = Continuation.of(page);
        } while (at != null);
    }

    /** Answers the number of entities that were written. */
    long run() throws IOException {
        ExecutorService threads = Executors.newFixedThreadPool(UNDER_WAY, task -> {
            Thread thread = new Thread(task, "restore-table");
            thread.setDaemon(true);
            return thread;
        });
        try {
            EntityGroup open = new EntityGroup();
            for (@Nullable Entry entry = from.next(); entry != null; entry = from.next()) {
                EntityLines.Keys keys = EntityLines.keys(entry.json());
                if (!open.takes(keys, entry)) {
                    send(open, threads);
                    open = new EntityGroup();
                }
                open.add(keys, entry);
            }
            if (!open.isEmpty()) {
                send(open, threads);
            }
            while (!underWay.isEmpty()) {
                takeOldest();
            }
            return written;
        } finally {
            threads.shutdownNow();
        }
    }

    private void send(EntityGroup group, ExecutorService threads) {
        if (underWay.size() == 2 * UNDER_WAY) {
            takeOldest();
        }
        underWay.add(CompletableFuture.supplyAsync(() -> write(group), threads));
    }

    private int write(EntityGroup group) {
        Answer answer = tables.send(to -> group.request(to, table));
        List<Entry> entries = group.entries();
        if (!answer.isCommitted()) {
            Entry first = entries.get(Math.max(0, Math.min(entries.size() - 1, answer.refusedOperation())));
            String text = first.json();
            throw CommandFailure.failed(
                    "the cluster refused a transaction of " + entries.size() + " entities, of which one is "
                            + text.substring(0, Math.min(200, text.length())) + ": " + answer.problem());
        }
        return entries.size();
    }

    private void takeOldest() {
        try {
            written += underWay.remove().join();
        } catch (CompletionException failed) {
            throw failed.getCause() instanceof RuntimeException answer ? answer : failed;
        }
        progress.show(written + " entities written");
    }

    /** The number of entities that the table has now. */
    long count() throws IOException {
        long count = 0;
        @Nullable Continuation at = null;
        do {
            @Nullable Continuation begin = at;
            Answer page = Tables.expect(
                    tables.send(to -> to.query(table, List.of("$select=RowKey"), begin)), "counting table " + table);
            count += EntityLines.ofPage(page.body()).size();
            progress.show(count + " entities counted");
            at = Continuation.of(page);
        } while (at != null);
        return count;
    }
}
