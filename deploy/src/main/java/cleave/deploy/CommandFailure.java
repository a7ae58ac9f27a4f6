package cleave.deploy;

/** Ends a command with a message for the person who gave it and an exit status; see {@link ExitCode}. Immutable. */
public final class CommandFailure extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final int exitCode;

    private CommandFailure(int exitCode, String message) {
        super(message, null, false, false);
        this.exitCode = exitCode;
    }

    public static CommandFailure failed(String message) {
        return new CommandFailure(ExitCode.FAILED, message);
    }

    public static CommandFailure usage(String message) {
        return new CommandFailure(ExitCode.USAGE, message);
    }

    public static CommandFailure taken(String message) {
        return new CommandFailure(ExitCode.TAKEN, message);
    }

    public static CommandFailure unreachable(String message) {
        return new CommandFailure(ExitCode.UNREACHABLE, message);
    }

    public int exitCode() {
        return exitCode;
    }
}
