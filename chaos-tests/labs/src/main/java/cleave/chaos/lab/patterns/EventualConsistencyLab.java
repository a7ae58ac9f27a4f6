package cleave.chaos.lab.patterns;

import cleave.chaos.lab.Experiment;
import cleave.chaos.lab.LabClient;
import cleave.chaos.lab.LabEntity;
import cleave.chaos.lab.LabRun;
import cleave.chaos.lab.LabWrite;
import cleave.chaos.lab.data.Employee;
import cleave.chaos.lab.data.Employees;
import cleave.chaos.picture.Chart;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Employees move from Current to Archive by messages, while workers die between any two steps. */
public final class EventualConsistencyLab implements Experiment {
    private static final long HIDDEN_FOR = 30;
    private static final int DEQUEUE_MAX = 3;

    /** After which of the guide's steps a worker dies. */
    private enum Death {
        NONE,
        AFTER_TAKING,
        AFTER_COPYING,
        AFTER_DELETING
    }

    @Override
    public void run(LabRun run) throws IOException {
        String current = run.table("Current");
        String archive = run.table("Archive");
        String queues = run.table("Queues");
        try (LabClient client = LabClient.open(run.endpoint())) {
            for (String table : List.of(current, archive, queues)) {
                client.createTable(table);
            }
            client.load(
                    current,
                    Employees.of("Sales", 460).stream()
                            .filter(each -> each.id().compareTo("000440") >= 0)
                            .map(Employee::entity)
                            .toList());
            Worker worker = new Worker(
                    client,
                    current,
                    archive,
                    new TableQueue(client, queues, "archive"),
                    new TableQueue(client, queues, "poison"));
            deaths(run, worker);
            twoWorkers(run, worker);
            poison(run, worker);
        }
    }

    private static void deaths(LabRun run, Worker worker) throws IOException {
        List<List<String>> rows = new ArrayList<>();
        List<String> categories = new ArrayList<>();
        List<Double> steps = new ArrayList<>();
        int number = 456;
        boolean allMoved = true;
        boolean neverLost = true;
        for (Death death : Death.values()) {
            String id = Employees.id(number);
            worker.queue.put(number, id);
            long before = worker.client.roundTrips();
            worker.work(death);
            String between = worker.whereIs(id);
            boolean isHidden = worker.queue.take(worker.now, HIDDEN_FOR).isEmpty();
            worker.now += HIDDEN_FOR;
            boolean again = worker.work(Death.NONE);
            String after = worker.whereIs(id);
            steps.add((double) (worker.client.roundTrips() - before));
            categories.add(phrase(death));
            rows.add(List.of("employee " + id + ", " + phrase(death), between, again ? "yes" : "no", after));
            allMoved &= after.equals("Archive") && again == (death != Death.NONE) && isHidden;
            neverLost &= !between.isEmpty();
            number--;
        }
        run.table(
                "A worker dies, and the message comes back",
                List.of("", "then in", "message came back", "at last in"),
                rows);
        run.draw(Chart.bars(
                "Requests to move one employee",
                "requests",
                "the worker dies",
                categories,
                List.of(Chart.values("requests", steps))));
        run.claim("wherever the worker died, the employee is in Archive alone in the end", allMoved, rows.toString());
        run.claim("whenever the lab looks, he is in one of the tables at least", neverLost, rows.toString());
        run.claim(
                "after the copy and before the delete he is in both: there is no isolation",
                rows.get(2).get(1).equals("both"),
                rows.get(2).get(1));
        run.claim(
                "no message is left",
                worker.queue.messages().isEmpty(),
                worker.queue.messages().size() + " messages");
    }

    private static String phrase(Death death) {
        return switch (death) {
            case NONE -> "never";
            case AFTER_TAKING -> "before the copy";
            case AFTER_COPYING -> "after the copy";
            case AFTER_DELETING -> "after the delete";
        };
    }

    private static void twoWorkers(LabRun run, Worker worker) throws IOException {
        worker.queue.put(450, "000450");
        Optional<LabEntity> slow = worker.queue.take(worker.now, HIDDEN_FOR);
        worker.now += HIDDEN_FOR;
        Optional<LabEntity> fast = worker.queue.take(worker.now, HIDDEN_FOR);
        boolean slowDeletes = slow.isPresent() && worker.queue.delete(slow.get());
        boolean fastDeletes = fast.isPresent() && worker.queue.delete(fast.get());
        run.claim(
                "a worker whose time ran out cannot delete the message that another worker has taken since",
                !slowDeletes && fastDeletes,
                "slow " + slowDeletes + ", fast " + fastDeletes);
    }

    private static void poison(LabRun run, Worker worker) throws IOException {
        worker.queue.put(999, "no such employee");
        int attempts = 0;
        while (worker.poison.messages().isEmpty() && attempts < 10) {
            worker.work(Death.AFTER_TAKING);
            worker.now += HIDDEN_FOR;
            attempts++;
        }
        run.claim(
                "a message that has killed " + DEQUEUE_MAX
                        + " workers is moved to the poison queue by the next one, and no message is left",
                attempts == DEQUEUE_MAX + 1 && worker.queue.messages().isEmpty(),
                "taken " + attempts + " times");
    }

    /** The guide's worker role. */
    private static final class Worker {
        private final LabClient client;
        private final String current;
        private final String archive;
        private final TableQueue queue;
        private final TableQueue poison;
        private long now = 1_000;

        Worker(LabClient client, String current, String archive, TableQueue queue, TableQueue poison) {
            this.client = client;
            this.current = current;
            this.archive = archive;
            this.queue = queue;
            this.poison = poison;
        }

        /** Takes one message, and does its steps until it dies; false if there was none. */
        boolean work(Death death) throws IOException {
            Optional<LabEntity> taken = queue.take(now, HIDDEN_FOR);
            if (taken.isEmpty()) {
                return false;
            }
            LabEntity message = taken.get();
            if (message.number("DequeueCount") > DEQUEUE_MAX) {
                queue.moveTo(poison, message);
                return true;
            }
            if (death == Death.AFTER_TAKING) {
                return true;
            }
            String id = message.text("Text");
            Optional<LabEntity> original = client.find(current, "Sales", id);
            if (original.isPresent()) { // Else an earlier attempt has copied and deleted it.
                client.write(archive, LabWrite.upsert(original.get()));
                if (death == Death.AFTER_COPYING) {
                    return true;
                }
            }
            client.deleteIfExists(current, LabEntity.of("Sales", id));
            if (death != Death.AFTER_DELETING) {
                queue.delete(message);
            }
            return true;
        }

        String whereIs(String id) throws IOException {
            boolean isCurrent = client.find(current, "Sales", id).isPresent();
            boolean isArchived = client.find(archive, "Sales", id).isPresent();
            return isCurrent ? isArchived ? "both" : "Current" : isArchived ? "Archive" : "";
        }
    }
}
