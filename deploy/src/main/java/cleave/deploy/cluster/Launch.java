package cleave.deploy.cluster;

import java.util.ArrayList;
import java.util.List;

/**
 * The program of a process. Immutable.
 *
 * @param command the main class and its arguments
 */
public record Launch(Jvm jvm, List<String> command) {
    public Launch {
        command = List.copyOf(command);
    }

    /** The {@code cleave} command with these arguments. */
    public static Launch cleave(Jvm jvm, List<String> arguments) {
        List<String> command = new ArrayList<>(List.of("cleave.deploy.Cleave"));
        command.addAll(arguments);
        return new Launch(jvm, command);
    }
}
