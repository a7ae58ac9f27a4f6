package cleave.route;

import cleave.model.PartitionMap;

/** The partition map as it is known just now. Thread-safe. */
public interface MapView {
    PartitionMap current();

    /** Has the listener called, on any thread, after each change from now on. It must not block. */
    void onChange(Runnable listener);
}
