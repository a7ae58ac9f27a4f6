package cleave.chaos.sim.cluster;

import cleave.chaos.sim.world.World;
import cleave.server.outside.Space;
import cleave.server.store.InMemoryStores;
import com.google.protobuf.ByteString;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The disk of a server's stores: its space, its bits, and those that come from the DFS to it. */
public final class SimDisk {
    private final World world;
    private final String node;
    private final Random random;
    private boolean full;
    private boolean reported;
    /** The stores of the newest process. */
    private @Nullable InMemoryStores stores;

    private int uploadsToRot;
    private int arrivalsToRot;

    SimDisk(World world, String node) {
        this.world = world;
        this.node = node;
        this.random = world.newRandom();
    }

    /**
     * Fills the disk.
     *
     * @param reports whether the disk reports it
     */
    public void fill(boolean reports) {
        full = true;
        reported = reports;
    }

    public void makeRoom() {
        full = false;
    }

    public boolean isFull() {
        return full;
    }

    Space space() {
        return new Space(full && reported ? 0 : 1L << 40, 1L << 30);
    }

    /** A process has begun, whose stores lie on it from now on. */
    void holds(InMemoryStores now) {
        stores = now;
        TreeSet<String> changed = new TreeSet<>();
        now.uploading = this::uploading;
        now.arriving = (path, bytes) -> arrived(changed, path, bytes);
    }

    /**
     * Flips a bit of a local file.
     *
     * @param isNew of one that no checkpoint has
     * @return whether there was such a file
     */
    public boolean rots(boolean isNew) {
        String what = stores == null ? null : stores.rot(random, isNew);
        if (what != null) {
            note("rots: " + what, "bits rotten in local files");
        }
        return what != null;
    }

    /** The next files rot in the moment in which their upload begins. */
    public void rotsUnderUpload() {
        uploadsToRot = 1 + random.nextInt(3);
    }

    private void uploading() {
        if (uploadsToRot > 0) {
            uploadsToRot--;
            rots(true);
        }
    }

    /** The next files change on their way from the DFS. */
    public void changesWhatArrives() {
        arrivalsToRot = 1 + random.nextInt(5);
    }

    /** @param changed the files that have changed on their way to this process: once each, for a file that does so again is damaged */
    private ByteString arrived(Set<String> changed, String path, ByteString bytes) {
        if (arrivalsToRot == 0 || bytes.isEmpty() || !changed.add(path)) {
            return bytes;
        }
        arrivalsToRot--;
        byte[] other = bytes.toByteArray();
        other[random.nextInt(other.length)] ^= (byte) (1 << random.nextInt(8));
        note("gets a bit of " + path + " wrong", "bits changed on their way from the DFS");
        return ByteString.copyFrom(other);
    }

    private void note(String what, String count) {
        world.note("disk of " + node, what, "");
        world.count(count);
    }

    /** Nothing rots any more; what has rotten stays so. */
    void calmDown() {
        uploadsToRot = 0;
        arrivalsToRot = 0;
    }

    /** Restores the bits that have rotten unseen. */
    void mend() {
        if (stores != null) {
            stores.mend();
        }
    }

    /** Writes all that its stores hold in memory to local files. */
    public void flush() {
        if (stores != null) {
            stores.flush();
        }
    }
}
