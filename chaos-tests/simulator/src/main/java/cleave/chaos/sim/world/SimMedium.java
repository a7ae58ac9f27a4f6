package cleave.chaos.sim.world;

import cleave.dfs.Dfs;
import com.google.protobuf.ByteString;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The DFS of a simulation, for its processes and for checks from outside. Confined to the simulation. */
public interface SimMedium {
    /** Its place in the network. */
    String node();

    /** The access of one process. */
    Dfs at(SimProcess process);

    void inject(FaultRates how);

    /**
     * The share of calls that each fault affects.
     *
     * @param broken an append: the medium breaks, for this file
     * @param unavailable another call: it fails as unavailable, executed or not
     * @param slowSync an append: it becomes durable late
     * @param slowSeal a seal: it takes long
     * @param taken a create: the path is in use by another cluster
     * @param lagging a read or list: it sees less of an open file than there is, or sees a sealed one as open
     */
    record FaultRates(
            double broken, double unavailable, double slowSync, double slowSeal, double taken, double lagging) {
        public static final FaultRates NONE = new FaultRates(0, 0, 0, 0, 0, 0);
    }

    /** Sets the listener called just before a file is deleted. */
    void onDelete(Consumer<String> listener);

    /** Sets the listener called when everything that was visible before is visible again, before anything changes. */
    default void onReturn(Runnable listener) {}

    /** True if the content can be observed now. If not, nothing changes either. */
    default boolean isVisible() {
        return true;
    }

    boolean exists(String path);

    /** The bytes of a file, acknowledged or not; null if there is no such file. */
    @Nullable
    ByteString peek(String path);

    boolean isSealed(String path);

    /** The durable bytes of a file. For planted bugs. */
    long durableLength(String path);

    /** The length of a file that readers may last have seen. For planted bugs. */
    default long visibleLength(String path) {
        return durableLength(path);
    }

    /** Repairs the medium of a file as if it had never failed, which no DFS can promise. For planted bugs. */
    void mend(String path);
}
