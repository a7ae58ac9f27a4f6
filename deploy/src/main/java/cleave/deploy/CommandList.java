package cleave.deploy;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/**
 * The names and headers of all commands, from a text with a line for each: its name and its header. A command without a header is not
 * shown. The list of this module is a resource. {@code ./cleave} names that of the commands whose jars it does not load. A test of each
 * module compares its list with its commands.
 */
final class CommandList {
    private CommandList() {}

    /**
     * Adds commands that show in the help and among suggestions, and cannot be executed.
     *
     * @param others the file with the commands of other modules; none if there is no such file
     */
    static CommandLine addTo(CommandLine line, @Nullable String others) {
        try {
            try (InputStream own = Objects.requireNonNull(CommandList.class.getResourceAsStream("commands"))) {
                add(line, new String(own.readAllBytes(), StandardCharsets.UTF_8));
            }
            if (others != null && Files.exists(Path.of(others))) {
                add(line, Files.readString(Path.of(others)));
            }
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
        return line;
    }

    private static void add(CommandLine line, String list) {
        list.lines()
                .map(command -> command.split(" +", 2))
                .forEach(words -> add(line, words[0], words.length == 1 ? "" : words[1]));
    }

    private static void add(CommandLine line, String name, String header) {
        CommandSpec command = CommandSpec.create();
        command.parser().unmatchedArgumentsAllowed(true);
        command.usageMessage().header(header).hidden(header.isEmpty());
        line.addSubcommand(name, new CommandLine(command));
    }
}
