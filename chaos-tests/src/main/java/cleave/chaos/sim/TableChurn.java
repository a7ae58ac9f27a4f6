package cleave.chaos.sim;

import cleave.chaos.client.JsonText;
import cleave.chaos.fault.Bodies;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * One table that is created, filled, deleted and created again, through all front ends, stale ones too: what was in the deleted
 * table is never seen in the new one, and what was acknowledged in the living one is there. Confined to the simulation.
 */
final class TableChurn {

    private final World world;
    private final Workload workload;
    private final SimClient client;
    private final Random random;
    private final TreeSet<String> living = new TreeSet<>();
    private final TreeSet<String> gone = new TreeSet<>();
    private boolean stopped;
    private boolean idle = true;
    private int rows;
    private int names;
    private String table = "churn";

    TableChurn(World world, Workload workload, SimClient client) {
        this.world = world;
        this.workload = workload;
        this.client = client;
        this.random = world.newRandom();
    }

    void start() {
        idle = false;
        later(this::create);
    }

    void stop() {
        stopped = true;
    }

    boolean isIdle() {
        return idle;
    }

    private void later(Runnable step) {
        world.after(random.nextInt(200_000_000), () -> {
            if (stopped) {
                idle = true;
            } else {
                step.run();
            }
        });
    }

    private void create() {
        client.send(workload.requests().createTable(table), (answer, sent) -> {
            boolean exists =
                    answer != null && (answer.isSuccess() || answer.errorCode().equals("TableAlreadyExists"));
            later(exists ? this::look : this::create);
        });
    }

    private void insert(int left) {
        String row = "r" + rows++;
        client.send(workload.requests().insert(table, Bodies.of("p", row, Map.of())), (answer, sent) -> {
            if (answer != null && answer.isSuccess()) {
                living.add(row);
            } else if (answer != null && answer.status() == 404) {
                world.violation(Finding.By.TABLE, "a table that was created is not there: " + answer);
            }
            later(left > 0 ? () -> insert(left - 1) : this::look);
        });
    }

    private void look() {
        client.send(workload.requests().query(table, List.of()), (answer, sent) -> {
            if (answer == null || answer.status() != 200) {
                if (answer != null && answer.status() == 404) {
                    world.violation(Finding.By.TABLE, "a table that was created is not there: " + answer);
                }
                later(this::look);
                return;
            }
            List<String> seen = new ArrayList<>();
            try {
                for (Map<String, @Nullable Object> entity : JsonText.entities(answer.body())) {
                    seen.add(String.valueOf(entity.get("RowKey")));
                }
            } catch (IOException malformed) {
                world.violation(Finding.By.TABLE, "a page that cannot be read: " + answer);
            }
            boolean isWhole =
                    answer.header("x-ms-continuation-NextPartitionKey").isEmpty();
            if (seen.stream().anyMatch(gone::contains)) {
                world.violation(
                        Finding.By.TABLE,
                        "entities of a deleted table are back: " + seen + " after the drop of " + gone);
            }
            if (isWhole && !seen.containsAll(living)) {
                world.violation(
                        Finding.By.TABLE, "acknowledged entities are lost: " + living + ", but there are " + seen);
            }
            later(living.isEmpty() || random.nextBoolean() ? () -> insert(random.nextInt(5)) : this::delete);
        });
    }

    private void delete() {
        client.send(workload.requests().deleteTable(table), (answer, sent) -> {
            if (answer != null && (answer.status() == 204 || answer.status() == 404)) {
                world.trace().count("tables dropped");
                gone.addAll(living);
                living.clear();
                later(this::create);
            } else if (answer == null && sent) {
                table = "churn" + ++names; // It may still be deleted, at any later time, and by its name.
                living.clear();
                later(this::create);
            } else {
                later(this::delete);
            }
        });
    }
}
