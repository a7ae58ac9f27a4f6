package cleave.chaos.sim.cluster;

import cleave.chaos.history.Call;
import cleave.chaos.history.Page;
import cleave.chaos.operation.Walk;
import cleave.chaos.sim.world.Finding;
import cleave.chaos.sim.world.World;
import cleave.client.Answer;
import java.io.IOException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One scan of a table or a part of it; its pages become part of the history. */
public final class SimScan {
    private static final int REFUSALS_MAX = 5;
    private static final int TOP_MAX = 8;

    private final World world;
    private final SimWorkload workload;
    private final SimClient client;
    private final Walk walk;
    private final Consumer<Boolean> ending;
    private int refusals;

    private SimScan(SimClient client, Walk walk, Consumer<Boolean> ending) {
        this.world = client.world();
        this.workload = client.workload();
        this.client = client;
        this.walk = walk;
        this.ending = ending;
    }

    /** @param ending learns whether the scan is whole, or was given up */
    public static void run(SimClient client, Walk walk, Consumer<Boolean> ending) {
        new SimScan(client, walk, ending).page();
    }

    private void page() {
        int top = client.random().nextBoolean() ? 1 + client.random().nextInt(TOP_MAX) : 0;
        long invoked = world.now();
        client.send(walk.request(workload.requests(), top), (answer, sent) -> {
            if (answer == null || answer.status() != 200) {
                refused(answer);
            } else {
                took(answer, invoked);
            }
        });
    }

    private void refused(@Nullable Answer answer) {
        if (answer != null && answer.status() < 500) {
            world.violation(Finding.By.SCAN, "a scan was refused: " + answer);
        } else if (++refusals > REFUSALS_MAX) {
            ending.accept(false);
        } else {
            world.after(client.random().nextInt(300_000_000), this::page);
        }
    }

    private void took(Answer answer, long invoked) {
        refusals = 0;
        try {
            Page page = walk.took(new Call(client.number(), invoked, world.now()), answer);
            world.trace().note(world.now(), "c" + client.number(), "had", SimClient.digest(page), page::toString);
            workload.record(page);
        } catch (IOException malformed) {
            world.violation(Finding.By.SCAN, "a page that cannot be read: " + answer);
        }
        if (walk.isAtEnd()) {
            world.count("scans to the end");
            ending.accept(true);
        } else {
            world.after(client.random().nextInt(20_000_000), this::page);
        }
    }
}
