package cleave.chaos.sim.cluster;

import cleave.chaos.history.OperationKind;
import cleave.chaos.operation.OperationMix;
import java.util.List;
import java.util.Random;

/**
 * The keys and operations that the clients of a simulation prefer: for a while many of them use one key, and in some seeds they read
 * much more than they write. Confined to the simulation.
 */
final class Preferences {
    private static final double UNDECIDED = -1;

    private int favourite;
    private int favouriteFor;
    private double reading = UNDECIDED;

    <K> K key(List<K> keys, Random random) {
        if (favouriteFor-- <= 0) {
            favourite = random.nextInt(keys.size());
            favouriteFor = 20 + random.nextInt(100);
        }
        return keys.get(random.nextInt(3) == 0 ? favourite : random.nextInt(keys.size()));
    }

    OperationKind kind(Random random) {
        if (reading == UNDECIDED) {
            reading = random.nextBoolean() ? 0 : random.nextDouble();
        }
        return random.nextDouble() < reading ? OperationKind.GET : OperationMix.EVERYTHING.pick(random);
    }
}
