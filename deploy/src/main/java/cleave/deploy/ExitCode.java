package cleave.deploy;

/** The exit statuses of the command. The help text lists them; scripts may rely on them. */
public final class ExitCode {
    public static final int OK = 0;
    /** The command was tried and did not succeed. */
    public static final int FAILED = 1;
    /** The command line or a setting is wrong; nothing was started. */
    public static final int USAGE = 2;
    /** A port is in use, or a folder is in use, holds something else or cannot be used; nothing was changed. */
    public static final int TAKEN = 3;
    /** Nobody answers where a service was expected. */
    public static final int UNREACHABLE = 4;
    /** What was measured is not as the command demanded. */
    public static final int NOT_AS_DEMANDED = 5;
    /** A bug: the log has the details. A role's process also ends with it when an invariant is broken. */
    public static final int BUG = 70;

    /** A newer version wrote the stored data; this one does not change it. A role's process ends with it, too. */
    public static final int UNKNOWN_FORMAT = 71;

    private ExitCode() {}
}
