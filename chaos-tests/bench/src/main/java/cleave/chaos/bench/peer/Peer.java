package cleave.chaos.bench.peer;

import cleave.chaos.load.run.Target;

/** Another store, as a process with children of its own, if any. Confined to its owner, who closes it. */
public interface Peer extends AutoCloseable {
    /** Its name and version for people. */
    String title();

    /** The operating system's id of the process from which all others of the store descend. */
    long id();

    /** The store for a load. */
    Target target();

    /** Ends its processes. Its folder stays. */
    @Override
    void close();
}
