package cleave.board.http;

import java.util.Map;

/** A cluster whose processes may be ended and started from the page, and which gets load from there. Thread-safe; no method waits. */
public interface Play {
    /** What there is, what may be done with it, and what was done, as a JSON object. */
    byte[] state();

    /**
     * Begins to do something. What comes of it is told by {@link #state}.
     *
     * @throws Unusable if this cannot be done, or too much waits to be done
     */
    void act(Map<String, String> what);
}
