package cleave.deploy.admin;

import cleave.deploy.CommandFailure;
import cleave.deploy.ExitCode;
import cleave.deploy.role.Logs;
import cleave.deploy.terminal.TerminalCommand;
import cleave.runtime.files.FileProblem;
import cleave.runtime.files.PrivateFiles;
import cleave.runtime.rpc.Address;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URLEncoder;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** {@code cleave admin process}: a look into one process, by its admin port. */
@Command(
        name = "process",
        mixinStandardHelpOptions = true,
        header = "look into one process: status, threads, a recording, log levels",
        description = {
            "Asks the admin port of a process (admin.listen), which serves this to callers on its own machine, and elsewhere over TLS to"
                    + " a certificate of role admin (--tls DIR). The process logs who asked for what: the certificate, and what"
                    + " the environment of this command says, user@host or CLEAVE_OPERATOR.",
            "",
            "'cleave cluster status' lists the admin ports of a cluster on this machine; on Kubernetes 'kubectl port-forward' leads to that of a pod."
        },
        footer = {
            "EXAMPLES",
            "",
            "  cleave admin process status 127.0.0.1:10910",
            "  cleave admin process threads 127.0.0.1:10910",
            "  cleave admin process recording 127.0.0.1:10910 --seconds 60 --output s1.jfr",
            "  cleave admin process log-level 127.0.0.1:10910 cleave.server DEBUG --seconds 600",
            "  cleave admin process status --tls /etc/cleave/admin s1.example.com:10910"
        })
final class ProcessCommand extends TerminalCommand implements Runnable {
    private static final Duration MARGIN = Duration.ofSeconds(60);

    @Override
    public void run() {
        throw new ParameterException(line(), "say what: status, threads, recording or log-level");
    }

    /** Which process, and how to reach it. */
    static final class Target {
        @Parameters(index = "0", paramLabel = "ADDRESS", description = "the process's admin port, host:port")
        private String address = "";

        @Option(
                names = "--tls",
                paramLabel = "DIR",
                description =
                        "the folder of a certificate of role admin (tls.crt, tls.key, ca.crt); without: in the clear")
        private @Nullable Path tls;

        private ProcessClient client() {
            Logs.onlyErrors();
            try {
                Address.parse(address);
            } catch (IllegalArgumentException malformed) {
                throw CommandFailure.usage(String.valueOf(malformed.getMessage()));
            }
            return new ProcessClient(address, AdminClient.transport(tls), OperatorName.ofThisProcess());
        }
    }

    @Command(
            name = "status",
            mixinStandardHelpOptions = true,
            header = "version, settings in force, the role's own state, log levels, as JSON")
    int status(@Mixin Target process) {
        try (ProcessClient client = process.client()) {
            mustPrint(client.get("/status"));
        }
        return ExitCode.OK;
    }

    @Command(
            name = "threads",
            mixinStandardHelpOptions = true,
            header = "what every thread does, waits for and has used of a processor, the busiest first")
    int threads(@Mixin Target process) {
        try (ProcessClient client = process.client()) {
            mustPrint(client.get("/threads"));
        }
        return ExitCode.OK;
    }

    @Command(
            name = "recording",
            mixinStandardHelpOptions = true,
            header = "record the process with Java Flight Recorder and fetch the recording",
            description = {
                "One recording at a time, of at most 5 minutes; of more than about 32 MiB the oldest part is dropped. Open the file with"
                        + " JDK Mission Control, or 'jfr print' and 'jfr view'. It shows no environment, properties or arguments, but"
                        + " names of files, addresses, threads and classes."
            })
    int recording(
            @Mixin Target process,
            @Option(
                            names = "--seconds",
                            paramLabel = "N",
                            defaultValue = "30",
                            description = "for how long, 1 to 300 (default: ${DEFAULT-VALUE})")
                    int seconds,
            @Option(
                            names = "--output",
                            paramLabel = "FILE",
                            defaultValue = "recording.jfr",
                            description = "a new file (default: ${DEFAULT-VALUE})")
                    Path output) {
        if (Files.exists(output)) {
            throw CommandFailure.usage(output + " exists; give another file as --output");
        }
        boolean isWhole = false;
        try (ProcessClient client = process.client();
                OutputStream out = Channels.newOutputStream(
                        PrivateFiles.open(output, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE))) {
            long bytes = client.copy(
                    "/recording?seconds=" + seconds, out, MARGIN.plusSeconds(Math.max(0, Math.min(seconds, 3600))));
            isWhole = true;
            say(output + ": " + bytes + " bytes");
        } catch (IOException failed) {
            throw CommandFailure.failed(output + " cannot be written: " + FileProblem.text(failed));
        } finally {
            if (!isWhole) {
                remove(output);
            }
        }
        return ExitCode.OK;
    }

    private static void remove(Path half) {
        try {
            if (Files.isRegularFile(half)) {
                Files.delete(half);
            }
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    @Command(
            name = "log-level",
            mixinStandardHelpOptions = true,
            header = "change the level of a logger for a time",
            description = {
                "When the time is over, or with the level CONFIGURED, it logs again as it was configured. 'status' shows the"
                        + " changes in force. DEBUG of a library can show keys and values of requests."
            })
    int logLevel(
            @Mixin Target process,
            @Parameters(
                            index = "1",
                            paramLabel = "LOGGER",
                            description = "a package or class, such as cleave.master or io.grpc; ROOT: all")
                    String logger,
            @Parameters(
                            index = "2",
                            paramLabel = "LEVEL",
                            description = "TRACE, DEBUG, INFO, WARN, ERROR, or CONFIGURED")
                    String level,
            @Option(
                            names = "--seconds",
                            paramLabel = "N",
                            defaultValue = "900",
                            description = "for how long, 1 to 86400 (default: ${DEFAULT-VALUE})")
                    long seconds) {
        try (ProcessClient client = process.client()) {
            mustPrint(client.post(
                    "/log-level?logger=" + encoded(logger) + "&level=" + encoded(level) + "&seconds=" + seconds));
        }
        return ExitCode.OK;
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}
