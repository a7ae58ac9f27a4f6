package cleave.deploy.backup;

import cleave.deploy.CommandFailure;
import picocli.CommandLine.Option;

/** The option for the format of a file of entities. Confined to the command's thread. */
final class Format {
    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            description =
                    "jsonl: lines of JSON; csv: the first line names the columns PartitionKey,RowKey,Name,Name@type,..."
                            + " (default: jsonl)")
    private String name = "jsonl";

    boolean isCsv() {
        if (!name.equals("csv") && !name.equals("jsonl")) {
            throw CommandFailure.usage("--format is '" + name + "' but must be jsonl or csv");
        }
        return name.equals("csv");
    }
}
