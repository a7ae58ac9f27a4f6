package cleave.chaos.bench;

import cleave.deploy.CommandFailure;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Recordings of Java Flight Recorder in processes on this process' Java: samples, and how busy threads are. Stateless. Samples are taken by
 * the processor time that threads use where Java can do that (25, Linux), else by a clock, which sees no thread that is in the kernel or in
 * native code.
 */
final class Recordings {
    private static final String BY_PROCESSOR_TIME = "+jdk.CPUTimeSample#enabled=true,+jdk.CPUTimeSample#throttle=5ms";
    private static final String BY_CLOCK = "+jdk.ExecutionSample#enabled=true,+jdk.ExecutionSample#period=10ms";
    private static final String THREADS = "+jdk.ThreadCPULoad#enabled=true,+jdk.ThreadCPULoad#period=10s";
    private static final int KNOWS_PROCESSOR_TIME = 25;

    private Recordings() {}

    /** The options with which a JVM records from its start on. */
    static List<String> jvmOptions() {
        boolean isByProcessorTime = Runtime.version().feature() >= KNOWS_PROCESSOR_TIME
                && System.getProperty("os.name").equals("Linux");
        return List.of(
                "-XX:FlightRecorderOptions=stackdepth=256",
                "-XX:StartFlightRecording=settings=none,maxsize=256m," + THREADS + ","
                        + (isByProcessorTime ? BY_PROCESSOR_TIME : BY_CLOCK));
    }

    /** Writes what processes have recorded to NAME.jfr in a folder; CommandFailure if their Java cannot be asked. */
    static void dump(Map<String, Long> processes, Path folder) throws IOException, InterruptedException {
        Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
        if (!Files.isExecutable(jcmd)) {
            throw CommandFailure.failed("recordings need a JDK: there is no " + jcmd);
        }
        Files.createDirectories(folder);
        for (Map.Entry<String, Long> process : processes.entrySet()) {
            Path file = folder.resolve(process.getKey() + ".jfr").toAbsolutePath();
            Process asked = new ProcessBuilder(
                            jcmd.toString(), process.getValue().toString(), "JFR.dump", "filename=" + file)
                    .redirectErrorStream(true)
                    .start();
            String said = new String(asked.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (asked.waitFor() != 0 || !Files.exists(file)) {
                throw CommandFailure.failed(process.getKey() + " wrote no recording: " + said);
            }
        }
    }
}
