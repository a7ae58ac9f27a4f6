package cleave.deploy.cluster;

import cleave.deploy.CommandFailure;
import cleave.runtime.files.FolderTree;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Runs programs of BookKeeper and ZooKeeper to their end. Each has its own folder, which is removed afterwards, so several may run at once.
 * Confined to one thread.
 */
final class EngineTool {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int LINES = 20;
    private static final Pattern ENSEMBLES = Pattern.compile("ensembles=\\{([^}]*)}");
    private static final Pattern ENSEMBLE = Pattern.compile("\\[([^\\]]*)]");

    private final Layout layout;
    private final EngineSettings settings;
    private final Jvm jvm;

    /** @param jvm that finds BookKeeper and reaches ZooKeeper */
    EngineTool(Layout layout, EngineSettings settings, Jvm jvm) {
        this.layout = layout;
        this.settings = settings;
        this.jvm = jvm.attached();
    }

    /** The exit status and output of a program. */
    record Outcome(int status, List<String> log) {
        Outcome {
            log = List.copyOf(log);
        }

        String lastLines() {
            return String.join("\n", log.subList(Math.max(0, log.size() - LINES), log.size()));
        }
    }

    /** A command of BookKeeper's own shell. */
    Outcome shell(String... words) {
        List<String> command =
                new ArrayList<>(List.of("org.apache.bookkeeper.bookie.BookieShell", "-conf", "client.conf"));
        command.addAll(List.of(words));
        return run(command.toArray(String[]::new));
    }

    /** @param command the main class and its arguments */
    Outcome run(String... command) {
        Path folder = layout.dir().resolve("bookkeeper-tool-" + UUID.randomUUID());
        try {
            settings.writeClient(folder);
            NodeProcess tool = new NodeProcess("BookKeeper's tool", folder);
            int status = await(tool.start(new Launch(jvm, List.of(command))), tool, command);
            return new Outcome(status, Files.readAllLines(tool.log(), StandardCharsets.UTF_8));
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        } finally {
            remove(folder);
        }
    }

    private static int await(Process process, NodeProcess tool, String... command) {
        try {
            if (process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                return process.exitValue();
            }
        } catch (InterruptedException interrupted) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
            throw CommandFailure.failed("interrupted");
        }
        process.destroyForcibly();
        throw CommandFailure.failed(String.join(" ", command) + " did not end within " + PATIENCE.toSeconds()
                + " s. The end of its log:\n" + tool.lastLines(LINES));
    }

    /** Removes a folder with all that is in it, if it is there. */
    static void remove(Path folder) {
        try {
            FolderTree.deleteIfExists(folder);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** The bookies that have a copy of a ledger, or of a part of it, by a line with the ledger's metadata. */
    static Set<String> bookiesIn(String line) {
        Set<String> named = new TreeSet<>();
        Matcher ensembles = ENSEMBLES.matcher(line);
        while (ensembles.find()) {
            Matcher ensemble = ENSEMBLE.matcher(ensembles.group(1));
            while (ensemble.find()) {
                named.addAll(List.of(ensemble.group(1).split(", ")));
            }
        }
        return named;
    }
}
