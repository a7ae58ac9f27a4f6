package cleave.chaos.sim;

import cleave.dfs.Dfs;
import com.google.protobuf.ByteString;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The DFS of a simulation, as its processes reach it and as checks see it from outside. Confined to the simulation. */
interface SimMedium {
    /** Where it is in the network. */
    String node();

    /** The DFS as one process reaches it. */
    Dfs at(SimProcess process);

    void inject(FaultRates how);

    /**
     * The share of calls that each fault affects.
     *
     * @param broken an append: the medium breaks, for this file
     * @param unavailable another call: it finds nobody, executed or not
     * @param slowSync an append: it takes long to become durable
     * @param slowSeal a seal: it takes long
     * @param taken a create: the path is in use, by those who have nothing to do with the simulation's cluster
     * @param lagging a read or list: it sees less of an open file than there is, or that a sealed one is open
     */
    record FaultRates(
            double broken, double unavailable, double slowSync, double slowSeal, double taken, double lagging) {
        static final FaultRates NONE = new FaultRates(0, 0, 0, 0, 0, 0);
    }

    /** Told of each file just before it is gone. */
    void onDelete(Consumer<String> listener);

    /** Told when all is to be seen that was to be seen before; before anything is changed. */
    default void onReturn(Runnable listener) {}

    /** Whether anybody can say now what is there. If not, nothing changes either. */
    default boolean isVisible() {
        return true;
    }

    boolean exists(String path);

    /** What a file holds now, acknowledged or not; null if there is none. */
    @Nullable
    ByteString peek(String path);

    boolean isSealed(String path);

    /** What is durable of a file. For planted bugs. */
    long durableLength(String path);

    /** How much of a file readers may have seen last. For planted bugs. */
    default long visibleLength(String path) {
        return durableLength(path);
    }

    /** The medium of a file is as if it had never failed, which no DFS can promise. For planted bugs. */
    void mend(String path);
}
