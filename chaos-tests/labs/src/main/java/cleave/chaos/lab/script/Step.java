package cleave.chaos.lab.script;

import java.io.IOException;

/** A line of a script, read. Immutable. */
@FunctionalInterface
interface Step {
    /** IOException if the service does not answer as it must; IllegalArgumentException if the values of names do not fit. */
    void play(Play play) throws IOException;
}
