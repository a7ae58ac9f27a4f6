package cleave.runtime.loop;

/**
 * Runs events one after the other, in order of submission. Thread-safe.
 *
 * <p>The state that a loop owns is touched only inside it. Completions of outside work (appends, calls) come back by {@link #submit}. An
 * event that throws is a bug: the loop reports it to its fault handler, which ends the process. Events that are submitted or scheduled
 * after the loop's end are dropped.
 */
public interface EventLoop extends Clock {
    /** Runs the event inside the loop, soon; from inside, after the current event. */
    void submit(Runnable event);

    /** Runs the event inside the loop after a delay, unless the timer is cancelled before. */
    Timer schedule(long delayNanos, Runnable event);

    /** Checks that the caller is inside the loop. */
    void assertInside();

    /** A scheduled event. Thread-safe. */
    interface Timer {
        /** Idempotent; no effect once the event has begun. */
        void cancel();
    }
}
