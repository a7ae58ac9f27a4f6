package cleave.chaos.lab.partitioning;

import cleave.chaos.lab.Experiment;
import cleave.chaos.lab.LabClient;
import cleave.chaos.lab.LabClient.Pending;
import cleave.chaos.lab.LabEntity;
import cleave.chaos.lab.LabRun;
import cleave.chaos.lab.LabWrite;
import cleave.chaos.picture.Chart;
import cleave.client.Answer;
import cleave.client.Endpoint;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Many clients increment one counter under its ETag, without it, and in shares. */
final class Contention implements Experiment {
    private static final String PARTITION = "counter";
    private static final String COUNT = "Count";
    private static final int OK = 204;
    private static final int PRECONDITION_FAILED = 412;

    /**
     * What it took until each client had done its increment.
     *
     * @param refused writes that were answered with 412
     * @param counted the counter at the end
     */
    private record Seen(int clients, int writes, int refused, long counted) {}

    @Override
    public void run(LabRun run) throws IOException {
        List<Integer> counts = run.isSmall() ? List.of(1, 4, 8) : List.of(1, 2, 4, 8, 16);
        try (LabClient client = LabClient.open(run.endpoint())) {
            String table = client.createTable(run, "Counter");
            List<Seen> underETag = new ArrayList<>();
            List<Seen> unconditional = new ArrayList<>();
            List<Seen> shares = new ArrayList<>();
            for (int clients : counts) {
                run.progress(clients + " clients");
                underETag.add(inStep(client, run.endpoint(), table, clients));
                unconditional.add(unconditional(client, run.endpoint(), table, clients));
                shares.add(shares(client, run.endpoint(), table, clients));
            }
            report(run, counts, List.of(underETag, unconditional, shares));
            claims(run, underETag, unconditional, shares);
        }
    }

    private static LabEntity zero(String row) {
        return LabEntity.of(PARTITION, row).with(COUNT, 0);
    }

    private static LabEntity incremented(LabEntity read) {
        return read.with(COUNT, (int) read.number(COUNT) + 1);
    }

    private static List<LabClient> open(Endpoint endpoint, int count) throws IOException {
        List<LabClient> clients = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            clients.add(LabClient.open(endpoint));
        }
        return clients;
    }

    private static void close(List<LabClient> clients) throws IOException {
        for (LabClient client : clients) {
            client.close();
        }
    }

    /** In each round all that are not done read, and then all write what they read, greater by one. */
    private static Seen inStep(LabClient owner, Endpoint endpoint, String table, int count) throws IOException {
        String row = "etag-" + count;
        owner.write(table, LabWrite.insert(zero(row)));
        List<LabClient> waiting = open(endpoint, count);
        List<LabClient> all = List.copyOf(waiting);
        int writes = 0;
        int refused = 0;
        try {
            while (!waiting.isEmpty()) {
                List<LabEntity> read = new ArrayList<>();
                for (LabClient client : waiting) {
                    read.add(client.get(table, PARTITION, row));
                }
                List<LabWrite> updates = read.stream()
                        .map(each -> LabWrite.replace(incremented(each)))
                        .toList();
                List<Answer> answers = atOnce(waiting, table, updates);
                List<LabClient> again = new ArrayList<>();
                for (int i = 0; i < answers.size(); i++) {
                    writes++;
                    if (answers.get(i).status() == PRECONDITION_FAILED) {
                        refused++;
                        again.add(waiting.get(i));
                    } else if (answers.get(i).status() != OK) {
                        throw new IOException("an update under an ETag was answered with " + answers.get(i));
                    }
                }
                waiting = again;
            }
        } finally {
            close(all);
        }
        return new Seen(count, writes, refused, owner.get(table, PARTITION, row).number(COUNT));
    }

    /** Sends all writes, each on its own connection, before any answer is read. */
    private static List<Answer> atOnce(List<LabClient> clients, String table, List<LabWrite> writes)
            throws IOException {
        List<Pending<Answer>> pending = new ArrayList<>();
        for (int i = 0; i < clients.size(); i++) {
            pending.add(clients.get(i).begin(table, writes.get(i)));
        }
        List<Answer> answers = new ArrayList<>();
        for (Pending<Answer> each : pending) {
            answers.add(each.answer());
        }
        return answers;
    }

    /** All read, and all write, whatever the entity has become. */
    private static Seen unconditional(LabClient owner, Endpoint endpoint, String table, int count) throws IOException {
        String row = "any-" + count;
        owner.write(table, LabWrite.insert(zero(row)));
        List<LabClient> clients = open(endpoint, count);
        try {
            List<LabWrite> updates = new ArrayList<>();
            for (LabClient client : clients) {
                LabEntity read = client.get(table, PARTITION, row);
                updates.add(new LabWrite("PUT", incremented(read), "*"));
            }
            return seen(
                    atOnce(clients, table, updates),
                    owner.get(table, PARTITION, row).number(COUNT));
        } finally {
            close(clients);
        }
    }

    /** Each has a row of its own; a query adds them up. */
    private static Seen shares(LabClient owner, Endpoint endpoint, String table, int count) throws IOException {
        String prefix = "share-" + count + "-";
        List<LabClient> clients = open(endpoint, count);
        try {
            List<LabWrite> updates = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                String row = prefix + (char) ('a' + i);
                owner.write(table, LabWrite.insert(zero(row)));
                updates.add(LabWrite.replace(incremented(clients.get(i).get(table, PARTITION, row))));
            }
            List<Answer> answers = atOnce(clients, table, updates);
            long sum = owner
                    .query(
                            table,
                            "PartitionKey eq '" + PARTITION + "' and RowKey ge '" + prefix + "' and RowKey lt '"
                                    + prefix + "~'")
                    .numbers(COUNT)
                    .stream()
                    .mapToInt(Integer::intValue)
                    .sum();
            return seen(answers, sum);
        } finally {
            close(clients);
        }
    }

    private static Seen seen(List<Answer> answers, long counted) {
        int refused =
                (int) answers.stream().filter(answer -> !answer.isSuccess()).count();
        return new Seen(answers.size(), answers.size(), refused, counted);
    }

    private static void report(LabRun run, List<Integer> counts, List<List<Seen>> designs) {
        run.say(
                "In each round all clients that are not done read the counter, and then all send their updates, each on a connection of its own,"
                        + " before any answer is read.");
        List<String> names =
                List.of("one counter, under its ETag", "one counter, If-Match: *", "a share for each client");
        List<List<String>> rows = new ArrayList<>();
        for (int i = 0; i < designs.size(); i++) {
            for (Seen seen : designs.get(i)) {
                rows.add(List.of(
                        names.get(i),
                        Integer.toString(seen.clients()),
                        Integer.toString(seen.writes()),
                        Integer.toString(seen.refused()),
                        Long.toString(seen.counted())));
            }
        }
        run.table(
                "Each client increments once",
                List.of("design", "clients", "writes", "refused with 412", "counted"),
                rows);
        List<Chart.Series> series = new ArrayList<>();
        for (int i = 0; i < designs.size(); i++) {
            series.add(Chart.values(
                    names.get(i),
                    designs.get(i).stream().map(seen -> (double) seen.writes()).toList()));
        }
        run.draw(Chart.bars(
                "Writes until every client was answered with success",
                "writes",
                "clients",
                counts.stream().map(Object::toString).toList(),
                series));
        List<Chart.Series> counted = new ArrayList<>();
        for (int i = 0; i < designs.size(); i++) {
            counted.add(Chart.values(
                    names.get(i),
                    designs.get(i).stream().map(seen -> (double) seen.counted()).toList()));
        }
        run.draw(Chart.bars(
                "What the counter says then",
                "increments",
                "clients",
                counts.stream().map(Object::toString).toList(),
                counted));
    }

    private static void claims(LabRun run, List<Seen> underETag, List<Seen> unconditional, List<Seen> shares) {
        run.claim(
                "of all updates under one ETag exactly one succeeds: n clients in step take n(n + 1) / 2 writes",
                underETag.stream().allMatch(each -> each.writes() == each.clients() * (each.clients() + 1) / 2),
                underETag.stream().map(each -> Integer.toString(each.writes())).toList() + " writes");
        run.claim(
                "under the ETag no increment is lost",
                underETag.stream().allMatch(each -> each.counted() == each.clients()),
                underETag.stream().map(each -> Long.toString(each.counted())).toList() + " counted");
        run.claim(
                "without a condition nobody is refused, and all increments but one are lost",
                unconditional.stream().allMatch(each -> each.refused() == 0 && each.counted() == 1),
                unconditional.stream()
                                .map(each -> Long.toString(each.counted()))
                                .toList() + " counted");
        run.claim(
                "with a share for each client, one write is enough, and none is lost",
                shares.stream().allMatch(each -> each.refused() == 0 && each.counted() == each.clients()),
                shares.stream().map(each -> Long.toString(each.counted())).toList() + " counted");
    }
}
