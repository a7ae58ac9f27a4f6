package cleave.deploy.backup;

import cleave.deploy.CommandFailure;
import cleave.deploy.ExitCode;
import cleave.deploy.role.Logs;
import cleave.deploy.terminal.Progress;
import cleave.deploy.terminal.TerminalCommand;
import java.io.IOException;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code cleave backup verify}. */
@Command(
        name = "verify",
        mixinStandardHelpOptions = true,
        header = "read a backup and check that it is whole and undamaged",
        description = {
            "Reads every file that the backup needs and compares it with its checksum. Needs no cluster. Lists all files that are"
                    + " missing or damaged; the next backup into the folder copies them again if the cluster still has them, into an object store"
                    + " with --reread."
        })
final class VerifyCommand extends TerminalCommand implements Callable<Integer> {
    @Mixin
    private BackupOption backup = new BackupOption();

    @Override
    public Integer call() {
        Logs.onlyErrors();
        try (BackupFolder folder = backup.open()) {
            BackupIndex index = backup.index(folder);
            Set<String> problems = problems(folder, index);
            problems.forEach(this::say);
            if (!problems.isEmpty()) {
                throw CommandFailure.failed("backup " + index.number() + " is damaged: " + problems.size() + " of "
                        + index.checksums().size() + " files");
            }
            say("Backup " + index.number() + " of cluster " + index.cluster() + " is whole: "
                    + index.parts().size() + " ranges, " + index.checksums().size() + " files, "
                    + Bytes.text(index.bytes()) + "; made from " + Instant.ofEpochMilli(index.beganMillis())
                    + " to " + Instant.ofEpochMilli(index.endedMillis()) + ". There are backups "
                    + folder.numbers() + ".");
        }
        return ExitCode.OK;
    }

    private Set<String> problems(BackupFolder folder, BackupIndex index) {
        TreeSet<String> problems = new TreeSet<>();
        long read = 0;
        try (Progress progress = progress()) {
            for (Map.Entry<Piece, Integer> each : index.checksums().entrySet()) {
                String problem = folder.problem(each.getKey(), each.getValue());
                if (problem != null) {
                    problems.add(problem);
                }
                read += each.getKey().length();
                progress.show(Bytes.text(read) + " of " + Bytes.text(index.bytes()) + " read");
            }
        } catch (IOException failed) {
            throw folder.place().failure(failed);
        }
        return problems;
    }
}
