package cleave.chaos.sim.world;

import java.util.LinkedHashSet;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

/** The connections between nodes: which are cut, and how long messages take. */
public final class Network {
    /** The time without any delivery after which a connection breaks. */
    static final long SILENCE_NANOS_MAX = 12_000_000_000L;

    private final Random random;
    private final Listener listener;
    private final Set<Way> blocked = new LinkedHashSet<>();

    private final TreeSet<String> slow = new TreeSet<>();
    private double slowness;
    private double delayed;
    private double lost;

    private record Way(String from, String to) {}

    /** Learns which ways are blocked. */
    interface Listener {
        void changed(String from, String to, boolean isBlocked);
    }

    Network(Random random, Listener listener) {
        this.random = random;
        this.listener = listener;
    }

    /** The share of much slower messages. */
    public void slowness(double part) {
        slowness = part;
    }

    /** A temporary, additional share of much slower messages. */
    public void delays(double part) {
        delayed = part;
    }

    /** The share of messages that are lost, which breaks their connections. */
    public void loses(double part) {
        lost = part;
    }

    /** True if this message is lost. */
    public boolean isLost() {
        return lost > 0 && random.nextDouble() < lost;
    }

    /** Blocks messages from one node to another; messages in transit wait. */
    public void block(String from, String to) {
        if (blocked.add(new Way(from, to))) {
            listener.changed(from, to, true);
        }
    }

    public void unblock(String from, String to) {
        if (blocked.remove(new Way(from, to))) {
            listener.changed(from, to, false);
        }
    }

    public boolean isBlocked(String from, String to) {
        return !blocked.isEmpty() && blocked.contains(new Way(from, to));
    }

    /** Makes a node slow in both directions. */
    public void slow(String node) {
        slow.add(node);
    }

    public void fast(String node) {
        slow.remove(node);
    }

    public void heal() {
        blocked.forEach(way -> listener.changed(way.from(), way.to(), false));
        blocked.clear();
        slow.clear();
        slowness = 0;
        delayed = 0;
        lost = 0;
    }

    /** The delay of one message. */
    public long delay(String from, String to) {
        if (!slow.isEmpty() && (slow.contains(from) || slow.contains(to))) {
            return 5_000_000L + random.nextInt(80_000_000);
        }
        if (random.nextDouble() < Math.max(slowness, delayed)) {
            return 1_000_000 + (long) (random.nextDouble() * random.nextDouble() * 2_000_000_000L);
        }
        return 50_000L + random.nextInt(400_000);
    }

    /** The delay between an event's submission to its loop and its execution. */
    long turnDelay() {
        int dice = random.nextInt(256);
        return dice == 0 ? random.nextInt(3_000_000) : 500 + dice * 40L;
    }
}
