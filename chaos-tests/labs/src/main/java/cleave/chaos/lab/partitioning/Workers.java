package cleave.chaos.lab.partitioning;

import cleave.chaos.lab.Cost;
import cleave.chaos.lab.Experiment;
import cleave.chaos.lab.LabClient;
import cleave.chaos.lab.LabEntity;
import cleave.chaos.lab.LabRun;
import cleave.chaos.lab.LabWrite;
import cleave.chaos.picture.Chart;
import cleave.client.Answer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/** Workers that take jobs from a table: each from partitions of its own, or all from all. */
final class Workers implements Experiment {
    private static final int WORKERS = 3;
    private static final int PARTITIONS = 9;
    /** Jobs that a worker with partitions of its own takes by one transaction. */
    private static final int AT_A_TIME = 10;

    private static final String OPEN = "Open";
    private static final int PRECONDITION_FAILED = 412;

    /** Which job a worker tries next. */
    private enum Division {
        FIRST("all with all: the first open job"),
        ANY("all with all: an open job by chance"),
        OWN("each its own partitions"),
        OWN_TRANSACTIONS("each its own, ten by a transaction");

        private final String text;

        Division(String text) {
            this.text = text;
        }

        boolean isOwn() {
            return this == OWN || this == OWN_TRANSACTIONS;
        }
    }

    /**
     * What it took until all jobs were taken.
     *
     * @param rounds in each of which every worker looked and tried once
     * @param requests that change jobs
     * @param refused of them, with 412
     * @param taken jobs
     * @param servers that a worker asked, at most
     */
    private record Seen(Division division, int rounds, int requests, int refused, int taken, int servers) {}

    @Override
    public void run(LabRun run) throws IOException {
        int each = run.of(4, 20);
        Ranges ranges = Ranges.atRest(run);
        List<Seen> seen = new ArrayList<>();
        try (LabClient client = LabClient.open(run.endpoint())) {
            String table = client.createTable(run, "Jobs");
            ranges.spread(client, table, List.of(key(0), key(PARTITIONS / WORKERS), key(2 * PARTITIONS / WORKERS)));
            for (Division division : Division.values()) {
                for (List<LabEntity> jobs : LabClient.batches(jobs(each))) {
                    client.transaction(
                            table, jobs.stream().map(LabWrite::upsert).toList());
                }
                run.progress(division.text);
                seen.add(work(run, division, table));
            }
        }
        report(run, seen, each);
        claims(run, seen, each);
    }

    private static String key(int number) {
        return String.format(Locale.ROOT, "p%02d", number);
    }

    private static List<LabEntity> jobs(int each) {
        List<LabEntity> jobs = new ArrayList<>();
        for (int partition = 0; partition < PARTITIONS; partition++) {
            for (int job = 0; job < each; job++) {
                jobs.add(LabEntity.of(key(partition), String.format(Locale.ROOT, "job-%03d", job))
                        .with(OPEN, true));
            }
        }
        return jobs;
    }

    /** In each round all workers look for open jobs, and then each tries to take some of those that it saw. */
    private static Seen work(LabRun run, Division division, String table) throws IOException {
        Random random = new Random(1);
        List<LabClient> workers = new ArrayList<>();
        List<Cost> costs = new ArrayList<>();
        int rounds = 0;
        int requests = 0;
        int refused = 0;
        int taken = 0;
        try {
            for (int i = 0; i < WORKERS; i++) {
                workers.add(LabClient.open(run.endpoint()));
                costs.add(Cost.NONE);
            }
            for (boolean found = true; found; rounds++) {
                found = false;
                List<List<LabEntity>> open = new ArrayList<>();
                for (int i = 0; i < WORKERS; i++) {
                    LabClient worker = workers.get(i);
                    String filter = filter(division, i);
                    List<LabEntity> jobs = new ArrayList<>();
                    costs.set(
                            i,
                            costs.get(i)
                                    .plus(worker.measure(() -> jobs.addAll(
                                            worker.query(table, filter).entities()))));
                    open.add(jobs);
                    found |= !jobs.isEmpty();
                }
                for (int i = 0; i < WORKERS; i++) {
                    List<LabEntity> chosen = chosen(division, open.get(i), random);
                    if (!chosen.isEmpty()) {
                        Answer answer = take(workers.get(i), table, chosen);
                        requests++;
                        refused += answer.status() == PRECONDITION_FAILED ? 1 : 0;
                        taken += answer.isSuccess() ? chosen.size() : 0;
                    }
                }
            }
        } finally {
            for (LabClient worker : workers) {
                worker.close();
            }
        }
        int servers =
                costs.stream().mapToInt(cost -> cost.servers().size()).max().orElse(0);
        return new Seen(division, rounds - 1, requests, refused, taken, servers); // The last round found nothing.
    }

    private static String filter(Division division, int worker) {
        int own = PARTITIONS / WORKERS;
        String where = division.isOwn()
                ? "PartitionKey ge '" + key(worker * own) + "' and PartitionKey lt '" + key((worker + 1) * own) + "'"
                : "PartitionKey ge '" + key(0) + "'";
        return where + " and " + OPEN + " eq true";
    }

    private static List<LabEntity> chosen(Division division, List<LabEntity> open, Random random) {
        if (open.isEmpty()) {
            return List.of();
        }
        return switch (division) {
            case FIRST, OWN -> List.of(open.get(0));
            case ANY -> List.of(open.get(random.nextInt(open.size())));
            case OWN_TRANSACTIONS ->
                open.stream()
                        .filter(job -> job.partition().equals(open.get(0).partition()))
                        .limit(AT_A_TIME)
                        .toList();
        };
    }

    private static Answer take(LabClient worker, String table, List<LabEntity> jobs) throws IOException {
        List<LabWrite> writes = jobs.stream()
                .map(job -> LabWrite.replace(job.with(OPEN, false)))
                .toList();
        Answer answer =
                writes.size() == 1 ? worker.tryWrite(table, writes.get(0)) : worker.tryTransaction(table, writes);
        if (!answer.isSuccess() && answer.status() != PRECONDITION_FAILED) {
            throw new IOException(
                    "to take " + jobs.get(0).partition() + "/" + jobs.get(0).row() + " was answered with " + answer);
        }
        return answer;
    }

    private static void report(LabRun run, List<Seen> seen, int each) {
        run.say("There are " + PARTITIONS * each + " jobs in " + PARTITIONS
                + " partitions. In each round all three workers look for open jobs, and then each tries to take one of those that it saw"
                + " (or " + AT_A_TIME + " of a partition), under their ETags.");
        List<List<String>> rows = new ArrayList<>();
        for (Seen its : seen) {
            rows.add(List.of(
                    its.division().text,
                    Integer.toString(its.rounds()),
                    Integer.toString(its.requests()),
                    Integer.toString(its.refused()),
                    Integer.toString(its.taken()),
                    Integer.toString(its.servers())));
        }
        run.table(
                "Until all jobs are taken",
                List.of("division", "rounds", "requests to take", "refused with 412", "taken", "servers a worker asks"),
                rows);
        run.draw(Chart.bars(
                "Requests to take all jobs",
                "requests",
                "division of the work",
                seen.stream().map(its -> its.division().text).toList(),
                List.of(
                        Chart.values(
                                "done",
                                seen.stream()
                                        .map(its -> (double) its.requests() - its.refused())
                                        .toList()),
                        Chart.values(
                                "refused with 412",
                                seen.stream().map(its -> (double) its.refused()).toList()))));
    }

    private static void claims(LabRun run, List<Seen> seen, int each) {
        int jobs = PARTITIONS * each;
        Seen first = seen.get(0);
        Seen any = seen.get(1);
        Seen own = seen.get(2);
        Seen transactions = seen.get(3);
        run.claim(
                "under every division each job is taken once",
                seen.stream().allMatch(its -> its.taken() == jobs),
                seen.stream().map(its -> Integer.toString(its.taken())).toList() + " of " + jobs);
        run.claim(
                "if all try the first open job, one succeeds in each round, and the others are refused",
                first.rounds() == jobs && first.refused() == (WORKERS - 1) * jobs,
                first.refused() + " refused");
        run.claim(
                "a choice by chance makes conflicts fewer, but not none",
                any.refused() > 0 && any.refused() < first.refused(),
                any.refused() + " refused");
        run.claim(
                "workers with partitions of their own are never refused, and take as many jobs a round as there are workers",
                own.refused() == 0 && transactions.refused() == 0 && own.rounds() * WORKERS == jobs,
                own.rounds() + " rounds instead of " + first.rounds());
        run.claim(
                "and they may take many jobs by one transaction",
                transactions.requests() * 2 <= own.requests(),
                transactions.requests() + " requests instead of " + own.requests());
        run.claim(
                "a worker with partitions of its own asks one server, the others all three",
                own.servers() == 1 && first.servers() == WORKERS,
                own.servers() + " and " + first.servers());
    }
}
