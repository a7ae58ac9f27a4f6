package cleave.chaos.sim.world;

import java.util.function.Consumer;

/** A machine with one process, which ends and restarts. */
public final class Node {
    private final World world;
    private final String name;
    private final NodeClock clock;
    private final Consumer<SimProcess> program;
    private SimProcess process;

    /** @param program starts the program of a new process */
    public Node(World world, String name, NodeClock clock, Consumer<SimProcess> program) {
        this.world = world;
        this.name = name;
        this.clock = clock;
        this.program = program;
        this.process = new SimProcess(world, name, clock);
        process.kill();
    }

    public String name() {
        return name;
    }

    public NodeClock clock() {
        return clock;
    }

    public SimProcess process() {
        return process;
    }

    public boolean isUp() {
        return !process.isDead();
    }

    public void start() {
        if (process.isDead()) {
            world.note(name, "starts", "");
            process = new SimProcess(world, name, clock);
            SimProcess made = process;
            made.run(() -> program.accept(made));
        }
    }

    public void crash() {
        if (!process.isDead()) {
            world.note(name, "crashes", "");
            process.kill();
            world.rpc().died(process);
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
