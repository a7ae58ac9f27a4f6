package cleave.deploy;

import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.ArgGroupSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/** Lays the help of all commands out like a manual page. */
final class ManualPage {
    private static final int WIDTH = 100;

    private ManualPage() {}

    static void lay(CommandLine line) {
        UsageMessageSpec usage = line.getCommandSpec().usageMessage();
        usage.width(WIDTH);
        usage.headerHeading("@|bold NAME|@%n%n");
        usage.synopsisHeading("%n@|bold SYNOPSIS|@%n%n");
        usage.descriptionHeading("%n@|bold DESCRIPTION|@%n%n");
        usage.parameterListHeading("%n@|bold ARGUMENTS|@%n%n");
        usage.optionListHeading("%n@|bold OPTIONS|@%n%n");
        usage.commandListHeading("%n@|bold COMMANDS|@%n%n");
        usage.footerHeading("%n");
        usage.sortOptions(false);
        usage.synopsisAutoIndentThreshold(0.4);
        if (usage.exitCodeList().isEmpty()) {
            usage.exitCodeListHeading("");
        } else {
            usage.exitCodeListHeading("%n@|bold EXIT STATUS|@%n%n");
        }
        addHelp(line);
        line.getSubcommands().values().forEach(ManualPage::lay);
    }

    private static void addHelp(CommandLine line) {
        if (!line.getCommandSpec().mixinStandardHelpOptions()) {
            line.getCommandSpec().mixinStandardHelpOptions(true);
        }
        hideVersion(line);
    }

    /** Only the top command tells the version in its help; the others understand the option and do not list it. */
    private static void hideVersion(CommandLine line) {
        if (line.getParent() == null) {
            return;
        }
        OptionSpec version = line.getCommandSpec().findOption("--version");
        if (version != null) {
            line.getCommandSpec().remove(version);
        }
    }
}
