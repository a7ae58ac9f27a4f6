package cleave.runtime.loop;

/** The two clocks of a machine. Thread-safe. */
public interface Clock {
    /** Monotonic, from an arbitrary origin: for durations and deadlines. */
    long nanos();

    /** The wall clock in {@link cleave.model.Ticks}: for timestamps that people see; it may jump. */
    long ticks();
}
