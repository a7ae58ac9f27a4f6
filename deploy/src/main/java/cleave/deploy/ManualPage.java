package cleave.deploy;

import picocli.CommandLine;
import picocli.CommandLine.Model.UsageMessageSpec;

/** Lays the help of all commands out like a manual page. */
final class ManualPage {
    private static final int WIDTH = 100;

    private ManualPage() {}

    static void lay(CommandLine line) {
        line.getCommandSpec().versionProvider(new Version());
        UsageMessageSpec usage = line.getCommandSpec().usageMessage();
        usage.width(WIDTH);
        usage.headerHeading("@|bold NAME|@%n%n" + line.getCommandSpec().qualifiedName() + " - ");
        usage.synopsisHeading("%n@|bold SYNOPSIS|@%n%n");
        usage.descriptionHeading(usage.description().length == 0 ? "" : "%n@|bold DESCRIPTION|@%n%n");
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
        line.getSubcommands().values().forEach(ManualPage::lay);
    }
}
