package cleave.chaos.command;

import cleave.chaos.process.Cluster;
import cleave.deploy.CommandFailure;
import cleave.deploy.admin.AdminClient;
import cleave.deploy.board.ClusterRecording;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Where a command records the cluster on which it works, for {@code cleave board --replay}. Confined to its command. */
public final class RecordOption {
    @Option(
            names = "--record",
            paramLabel = "FILE",
            description =
                    "a new file that gets what the cluster tells each second; 'cleave board --replay FILE' shows it")
    private @Nullable Path record;

    public boolean isGiven() {
        return record != null;
    }

    /** Refuses a file that cannot be a new one; called before a run that may take long. */
    public void check() {
        if (record == null) {
            return;
        }
        Path file = record.toAbsolutePath();
        Path parent = file.getParent();
        if (Files.exists(file) || parent == null || !Files.isDirectory(parent)) {
            throw CommandFailure.usage("--record must name a new file in a folder that exists: "
                    + (Files.exists(file) ? file + " is there already" : "there is no folder " + parent));
        }
    }

    /** Records a cluster of this process from now until it is closed, if that was asked for. */
    public void begin(Cluster cluster) {
        if (record != null) {
            cluster.record(record);
        }
    }

    /**
     * Records the cluster of these masters, if that was asked for; to be closed. Null: it was not.
     *
     * @param masters makes a client of patience of some seconds
     */
    public @Nullable ClusterRecording begin(Supplier<AdminClient> masters) {
        return record == null ? null : ClusterRecording.begin(record, masters.get(), List.of());
    }

    /** The line that says where the recording is; empty if there is none. */
    public String told() {
        return record == null
                ? ""
                : "The recording is " + record.toAbsolutePath() + ": cleave board --replay FILE shows it\n";
    }

    /** The recording stays when the run has succeeded. */
    public void keptIn(RunFolder folder) {
        if (record != null) {
            folder.result(record.toAbsolutePath());
        }
    }
}
