package cleave.chaos.sim.faults;

import cleave.chaos.sim.world.Dice;
import cleave.chaos.sim.world.World;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/** Temporary network partitions; a connection that is cut twice heals when both cuts have ended. */
final class Cuts {
    private static final long NANOS_MAX = 8_000_000_000L;

    private final World world;
    private final Dice random;
    private final TreeMap<String, Integer> cuts = new TreeMap<>();
    private boolean healed;

    Cuts(World world) {
        this.world = world;
        this.random = world.newDice();
    }

    Dice dice() {
        return random;
    }

    long someTime() {
        return (long) (random.nextDouble() * NANOS_MAX);
    }

    private void cut(String from, String to, long nanos) {
        if (from.equals(to) || healed) {
            return;
        }
        world.network().block(from, to);
        cuts.merge(from + ">" + to, 1, Integer::sum);
        world.after(nanos, () -> {
            if (!healed && cuts.merge(from + ">" + to, -1, Integer::sum) == 0) {
                world.network().unblock(from, to);
            }
        });
    }

    void between(String one, String other, boolean oneWay, long nanos) {
        cut(one, other, nanos);
        if (!oneWay) {
            cut(other, one, nanos);
        }
    }

    void around(String node, List<String> others, boolean oneWay, long nanos) {
        others.forEach(other -> between(node, other, oneWay, nanos));
    }

    /** Splits the nodes into two sides. */
    void divide(List<String> names) {
        List<String> here = new ArrayList<>();
        List<String> there = new ArrayList<>();
        names.forEach(name -> (random.nextBoolean() ? here : there).add(name));
        long nanos = someTime();
        here.forEach(one -> around(one, there, false, nanos));
    }

    /** Isolates some nodes in turn and reconnects them in another order. */
    void swizzle(List<String> names) {
        for (String name : names) {
            if (random.nextInt(3) == 0) {
                long begin = (long) (random.nextDouble() * 2e9);
                long end = 2_000_000_000L + (long) (random.nextDouble() * 5e9);
                world.after(begin, () -> {
                    world.note("fault", "cuts off", name);
                    around(name, names, false, end - begin);
                });
            }
        }
    }

    /** Heals all cuts and makes no more. */
    void heal() {
        healed = true;
        world.network().heal();
    }
}
