package cleave.chaos.bench.profile;

import cleave.deploy.CommandFailure;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import jdk.jfr.consumer.RecordedEvent;

/**
 * How processes on this process' Java are sampled: by the processor time that they use where Java can (25, Linux), else by a clock, which sees
 * no thread that is in the kernel or in native code. Stateless.
 */
final class Sampling {
    private static final String BY_PROCESSOR_TIME = "jdk.CPUTimeSample";
    private static final String BY_CLOCK = "jdk.ExecutionSample";
    private static final int KNOWS_PROCESSOR_TIME = 25;
    /** The outer frames tell to which part a sample belongs; 64, the default, cuts them off. */
    private static final int FRAMES_MAX = 256;

    private static final String BYTES_MAX = "256m";

    private Sampling() {}

    private static boolean isByProcessorTime() {
        return Runtime.version().feature() >= KNOWS_PROCESSOR_TIME
                && System.getProperty("os.name").equals("Linux");
    }

    /** How, for people. */
    static String title() {
        return isByProcessorTime()
                ? "one each 5 ms of processor time (" + BY_PROCESSOR_TIME + ")"
                : "of Java code each 10 ms (" + BY_CLOCK + "), none in the kernel";
    }

    /** With these a JVM records from its start on. */
    static List<String> jvmOptions() {
        String events = isByProcessorTime()
                ? "+" + BY_PROCESSOR_TIME + "#enabled=true,+" + BY_PROCESSOR_TIME + "#throttle=5ms"
                : "+" + BY_CLOCK + "#enabled=true,+" + BY_CLOCK + "#period=10ms";
        return List.of(
                "-XX:FlightRecorderOptions=stackdepth=" + FRAMES_MAX,
                "-XX:StartFlightRecording=settings=none,maxsize=" + BYTES_MAX + "," + events);
    }

    static boolean isSample(RecordedEvent event) {
        String type = event.getEventType().getName();
        return type.equals(BY_PROCESSOR_TIME) || type.equals(BY_CLOCK);
    }

    /** Writes what a process has recorded into a file; CommandFailure if its Java cannot be asked. */
    static void dump(long process, Path file) throws IOException, InterruptedException {
        Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
        if (!Files.isExecutable(jcmd)) {
            throw CommandFailure.failed("profiles need a JDK: there is no " + jcmd);
        }
        Process asked = new ProcessBuilder(
                        jcmd.toString(), Long.toString(process), "JFR.dump", "filename=" + file.toAbsolutePath())
                .redirectErrorStream(true)
                .redirectOutput(Redirect.PIPE)
                .start();
        String said = new String(asked.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (asked.waitFor() != 0 || !Files.exists(file)) {
            throw CommandFailure.failed("process " + process + " wrote no recording: " + said);
        }
    }
}
