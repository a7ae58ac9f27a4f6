package cleave.chaos.documents;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.deploy.Cleave;
import cleave.deploy.CommandProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.UsageMessageSpec;

class CommandsTest {
    /** By the list {@code ./cleave} knows what to build and to load, and its help knows all commands. */
    @Test
    void theListNamesEachCommandAsItDescribesItself() throws IOException {
        List<String> commands = new ArrayList<>();
        for (CommandProvider provider : ServiceLoader.load(CommandProvider.class)) {
            provider.commands().forEach((name, command) -> {
                if (!name.contains(" ")) {
                    commands.add(line(name, command.get()));
                }
            });
        }

        assertThat(Files.readAllLines(Sources.ROOT.resolve("chaos-tests").resolve("commands")))
                .filteredOn(text -> !text.startsWith("# "))
                .containsExactlyInAnyOrderElementsOf(commands);
    }

    @Test
    void theReferenceSaysWhatTheCommandsSayThemselves() throws IOException {
        Path document = Sources.ROOT.resolve("docs/reference/commands.md");
        String before = Files.readString(document);
        String text = before.substring(0, before.indexOf("## ")) + CommandsReference.of(Cleave.commandLine());
        if (Boolean.getBoolean("golden.rewrite")) {
            Files.writeString(document, text);
        }

        assertThat(document)
                .as("run with -Dgolden.rewrite=true and read the difference, if the change is meant")
                .hasContent(text);
    }

    private static String line(String name, Object command) {
        CommandLine line = command instanceof CommandLine made ? made : new CommandLine(command);
        UsageMessageSpec usage = line.getCommandSpec().usageMessage();
        assertThat(line.getCommandName()).isEqualTo(name);
        return usage.hidden() ? name : String.format("%-12s %s", name, usage.header()[0]);
    }
}
