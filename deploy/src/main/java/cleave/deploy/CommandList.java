package cleave.deploy;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/**
 * The names and headers of all commands, from a text with a line for each: its name and its header. A command without a header is not
 * shown. A line that begins with {@value #HEADING} is the heading of the commands that follow it. The list of this module is a resource.
 * {@code ./cleave} names that of the commands whose jars it does not load. A test of each module compares its list with its commands.
 */
final class CommandList {
    private static final String HEADING = "# ";

    private CommandList() {}

    /**
     * Adds commands that show in the help and among suggestions, and cannot be executed.
     *
     * @param others the file with the commands of other modules; none if there is no such file
     */
    static CommandLine addTo(CommandLine line, @Nullable String others) {
        lines(others)
                .filter(text -> !text.startsWith(HEADING))
                .map(text -> text.split(" +", 2))
                .forEach(words -> add(line, words[0], words.length == 1 ? "" : words[1]));
        return line;
    }

    private static void add(CommandLine line, String name, String header) {
        CommandSpec command = CommandSpec.create();
        command.parser().unmatchedArgumentsAllowed(true);
        command.usageMessage().header(header).hidden(header.isEmpty());
        line.addSubcommand(name, new CommandLine(command));
    }

    /** Shows the commands of a command line below the headings of the lists. */
    static CommandLine grouped(CommandLine line, @Nullable String others) {
        line.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST, help -> shown(help, others));
        return line;
    }

    private static String shown(Help help, @Nullable String others) {
        Map<String, Map<String, Help>> groups = new LinkedHashMap<>();
        Map<String, Help> left = new LinkedHashMap<>(help.subcommands());
        String heading = "";
        for (String text : lines(others).toList()) {
            if (text.startsWith(HEADING)) {
                heading = text.substring(HEADING.length());
            } else {
                String name = text.split(" ", 2)[0];
                Help command = left.remove(name);
                if (command != null) {
                    groups.computeIfAbsent(heading, none -> new LinkedHashMap<>())
                            .put(name, command);
                }
            }
        }
        if (!left.isEmpty()) {
            groups.computeIfAbsent("Others", none -> new LinkedHashMap<>()).putAll(left);
        }
        return groups.entrySet().stream()
                .map(group -> group.getKey() + "\n" + help.commandList(group.getValue()))
                .collect(Collectors.joining("\n"));
    }

    private static Stream<String> lines(@Nullable String others) {
        try (InputStream own = Objects.requireNonNull(CommandList.class.getResourceAsStream("commands"))) {
            String list = new String(own.readAllBytes(), StandardCharsets.UTF_8);
            boolean isMore = others != null && Files.exists(Path.of(others));
            return Stream.concat(
                    list.lines(), isMore ? Files.readString(Path.of(others)).lines() : Stream.empty());
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
