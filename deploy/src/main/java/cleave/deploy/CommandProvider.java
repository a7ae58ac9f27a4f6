package cleave.deploy;

/**
 * Brings one more command to the {@code cleave} command line. Found by {@link java.util.ServiceLoader}, so that a module which
 * this one does not know (the chaos tests) can add its own.
 */
public interface CommandProvider {
    /** An object annotated with picocli's {@code @Command}; a new one at each call. */
    Object command();
}
