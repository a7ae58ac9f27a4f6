package cleave.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

class HelpTest {
    @Test
    void theHelpOfTheWholeCommandReadsLikeAManualPage() throws IOException {
        String help = Cleave.commandLine().getUsageMessage(Ansi.OFF);

        Golden.check("help.txt", help);
        assertThat(help).contains("NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "EXIT STATUS", "EXAMPLES", "FILES");
    }

    @Test
    void theHelpOfEachCommandIsAsReviewed() throws IOException {
        StringBuilder all = new StringBuilder();
        commands("", Cleave.commandLine())
                .forEach((name, line) -> all.append("#### ")
                        .append(name)
                        .append("\n\n")
                        .append(line.getUsageMessage(Ansi.OFF))
                        .append('\n'));

        Golden.check("help-of-commands.txt", all.toString());
    }

    private static Map<String, CommandLine> commands(String prefix, CommandLine line) {
        Map<String, CommandLine> commands = new TreeMap<>();
        line.getSubcommands().forEach((name, command) -> {
            if (!command.getCommandSpec().usageMessage().hidden()) {
                commands.put(prefix + name, command);
                commands.putAll(commands(prefix + name + " ", command));
            }
        });
        return commands;
    }
}
