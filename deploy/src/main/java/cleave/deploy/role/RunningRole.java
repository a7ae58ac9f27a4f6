package cleave.deploy.role;

import cleave.model.Readiness;

/** A role as the process that hosts it sees it. Thread-safe. */
public interface RunningRole extends AutoCloseable {
    /** For people: {@code server s1}. */
    String name();

    /** Begins its work and returns when it listens; it may become ready only later. */
    void start();

    Readiness readiness();

    /** Where it can be reached, for people. */
    String address();

    @Override
    void close();
}
