package cleave.chaos.sim.world;

import cleave.dfs.Dfs;
import com.google.protobuf.ByteString;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The DFS of a simulation, for its processes and for checks from outside. */
public abstract class SimMedium {
    private Consumer<String> onDelete = path -> {};
    private Runnable onReturn = () -> {};
    private FaultRates faultRates = FaultRates.NONE;

    /** Its place in the network. */
    public abstract String node();

    /** The access of one process. */
    public abstract Dfs at(SimProcess process);

    public final void inject(FaultRates how) {
        faultRates = how;
    }

    public final FaultRates faultRates() {
        return faultRates;
    }

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
    public record FaultRates(
            double broken, double unavailable, double slowSync, double slowSeal, double taken, double lagging) {
        public static final FaultRates NONE = new FaultRates(0, 0, 0, 0, 0, 0);
    }

    /** Sets the listener called just before a file is deleted. */
    public final void onDelete(Consumer<String> listener) {
        onDelete = listener;
    }

    protected final void deletes(String path) {
        if (exists(path)) {
            onDelete.accept(path);
        }
    }

    /** Sets the listener called when everything that was visible before is visible again, before anything changes. */
    public final void onReturn(Runnable listener) {
        onReturn = listener;
    }

    protected final void returned() {
        onReturn.run();
    }

    /** True if the content can be observed now. If not, nothing changes either. */
    public boolean isVisible() {
        return true;
    }

    public abstract boolean exists(String path);

    /** The bytes of a file, acknowledged or not; null if there is no such file. */
    public abstract @Nullable ByteString peek(String path);

    public abstract boolean isSealed(String path);

    /** The durable bytes of a file. For planted bugs. */
    public abstract long durableLength(String path);

    /** The length of a file that readers may last have seen. For planted bugs. */
    public long visibleLength(String path) {
        return durableLength(path);
    }

    /** Repairs the medium of a file as if it had never failed, which no DFS can promise. For planted bugs. */
    public abstract void mend(String path);
}
