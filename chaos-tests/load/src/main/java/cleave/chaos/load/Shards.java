package cleave.chaos.load;

import cleave.chaos.command.RunFolder;
import cleave.chaos.load.report.JsonReport;
import cleave.chaos.load.report.MergedSummary;
import cleave.chaos.load.report.MergedSummary.Part;
import cleave.chaos.load.report.Summary;
import cleave.chaos.process.ClassArchive;
import cleave.chaos.process.Dependents;
import cleave.deploy.CommandFailure;
import cleave.deploy.cluster.Jvm;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Several processes of this machine that put one load on one table together, each a share of it, for when one process is too slow to keep up
 * its rate. Confined to its caller.
 */
final class Shards {
    /** The options that the processes are not given: their parent fills the table, and judges and writes the report. */
    private static final Set<String> OPTIONS_OF_PARENT =
            Set.of("--shards", "--table", "--json", "--html", "--record", "--fail-if", "--picture", "--csv");

    private final Consumer<String> progress;

    Shards(Consumer<String> progress) {
        this.progress = progress;
    }

    /**
     * Runs them to their ends.
     *
     * @param arguments of the parent
     * @throws IOException if one of them fails, with what it said
     */
    Summary run(int count, String table, List<String> arguments) throws IOException {
        List<Process> processes = new ArrayList<>();
        List<Thread> readers = new ArrayList<>();
        List<Path> reports = new ArrayList<>();
        try (RunFolder folder = RunFolder.temporary("cleave-load-", progress)) {
            for (int shard = 1; shard <= count; shard++) {
                Path report = folder.path().resolve("shard-" + shard + ".json");
                reports.add(report);
                Process process = started(command(arguments, table, shard + "/" + count, report));
                processes.add(process);
                readers.add(reader(process, "[" + shard + "/" + count + "] "));
            }
            for (Process process : processes) {
                process.waitFor();
            }
            for (Thread reader : readers) {
                reader.join();
            }
            Summary summary = merged(reports);
            folder.succeeded();
            return summary;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", interrupted);
        } finally {
            processes.forEach(Process::destroy); // If one of them could not be started.
        }
    }

    private static Summary merged(List<Path> reports) throws IOException {
        List<Part> parts = new ArrayList<>();
        for (Path report : reports) {
            if (!Files.exists(report)) {
                throw CommandFailure.failed("the process that was to write " + report.getFileName()
                        + " ended without a report; what it said is above");
            }
            parts.add(new Part(report.toString(), JsonReport.read(Files.readString(report))));
        }
        return MergedSummary.of(parts);
    }

    private static Process started(List<String> command) throws IOException {
        Process process =
                new ProcessBuilder(command).redirectOutput(Redirect.DISCARD).start();
        Dependents.add(process.toHandle());
        return process;
    }

    private Thread reader(Process process, String prefix) {
        Thread thread = new Thread(
                () -> {
                    try (BufferedReader lines = new BufferedReader(
                            new InputStreamReader(process.getErrorStream(), StandardCharsets.UTF_8))) {
                        lines.lines().forEach(line -> progress.accept(prefix + line));
                    } catch (IOException ended) {
                        progress.accept(prefix + ended);
                    }
                },
                "load-shard");
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private static List<String> command(List<String> arguments, String table, String shard, Path report) {
        Jvm jvm = ClassArchive.sameClassPath(List.of());
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(jvm.flags());
        command.addAll(List.of("-cp", jvm.classPath(), "cleave.deploy.Cleave"));
        command.addAll(shares(arguments, table, shard));
        command.add("--json=" + report);
        return command;
    }

    /** The parent's arguments without those that are its own, and with the shard's. */
    static List<String> shares(List<String> arguments, String table, String shard) {
        List<String> own = new ArrayList<>();
        if (!arguments.contains("load")) {
            own.add("load");
        }
        for (int i = 0; i < arguments.size(); i++) {
            String argument = arguments.get(i);
            String name = argument.split("=", 2)[0];
            if (!OPTIONS_OF_PARENT.contains(name)) {
                own.add(argument);
            } else if (!argument.contains("=")) {
                i++; // Its value.
            }
        }
        own.addAll(List.of("--table=" + table, "--shard=" + shard));
        return own;
    }
}
