package cleave.deploy;

import java.util.Map;
import java.util.function.Supplier;

/**
 * Adds commands to the {@code cleave} command line. Found by {@link java.util.ServiceLoader}, so that a module which this one does
 * not know (the chaos tests) can add its own.
 */
public interface CommandProvider {
    /**
     * Objects annotated with picocli's {@code @Command}, or command lines of such, by the command's name; new ones at each call. A
     * subcommand of another module's command is named with it, as in {@code trial pods}. The list in {@code chaos-tests/commands} names all but
     * subcommands too.
     */
    Map<String, Supplier<Object>> commands();
}
