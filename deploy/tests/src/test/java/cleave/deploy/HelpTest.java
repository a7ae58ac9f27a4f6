package cleave.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;

class HelpTest {
    @Test
    void theHelpOfTheWholeCommandReadsLikeAManualPage() throws IOException {
        String help = Cleave.commandLine().getUsageMessage(Ansi.OFF);

        Golden.check("help.txt", help);
        assertThat(help).contains("NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "EXIT STATUS", "EXAMPLES", "FILES");
    }

    @Test
    void theListOfCommandsSaysWhatTheySayThemselves() {
        CommandLine listed = Cleave.commandLine("--help");
        CommandLine whole = Cleave.commandLine();

        assertThat(listed.getUsageMessage(Ansi.OFF)).isEqualTo(whole.getUsageMessage(Ansi.OFF));
        assertThat(listed.getSubcommands().keySet())
                .isEqualTo(whole.getSubcommands().keySet());
    }

    @Test
    void commandsOfOtherModulesAreListedFromAFile(@TempDir Path dir) throws IOException {
        Path list = Files.writeString(dir.resolve("commands"), "dance   moves about\nsecret\n");

        CommandLine line = CommandList.addTo(new CommandLine(CommandSpec.create()), list.toString());

        assertThat(line.getUsageMessage(Ansi.OFF))
                .containsPattern("dance +moves about")
                .doesNotContain("secret");
        assertThat(line.getSubcommands()).containsKeys("dance", "secret", "standalone");
        assertThat(CommandList.addTo(new CommandLine(CommandSpec.create()), dir + "/none")
                        .getSubcommands())
                .doesNotContainKey("dance");
    }
}
