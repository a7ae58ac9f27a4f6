package cleave.deploy;

import java.util.List;

/**
 * Adds commands to the {@code cleave} command line. Found by {@link java.util.ServiceLoader}, so that a module which this one does
 * not know (the chaos tests) can add its own.
 */
public interface CommandProvider {
    /** Objects annotated with picocli's {@code @Command}, or command lines of such; new ones at each call. */
    List<Object> commands();
}
