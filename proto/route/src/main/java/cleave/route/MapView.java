package cleave.route;

import cleave.model.PartitionMap;

/** The newest partition map known. Thread-safe. */
public interface MapView {
    PartitionMap current();

    /** Registers a listener, which is called on any thread after each later change. It must not block. */
    void onChange(Runnable listener);
}
