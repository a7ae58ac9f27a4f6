package cleave.deploy.inspect;

import java.io.IOException;
import java.io.InputStream;
import java.text.ParseException;
import java.util.List;
import jdk.jfr.Configuration;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
import org.jspecify.annotations.Nullable;

/**
 * A recording of Java Flight Recorder in this process: begun, ended, and read once. To be used by one thread.
 *
 * <p>Its data lies in the files that Flight Recorder has in the temporary folder anyway, so there is no copy to remove: closing the recording
 * removes them. Events that show what is none of the reader's business are left out: the environment, properties and arguments of this
 * process, and the other processes of the machine.
 */
public final class FlightRecording implements AutoCloseable {
    /** The size from which the oldest part is dropped. */
    public static final long BYTES_MAX = 32L << 20;

    private static final String NAME = "cleave operator";
    private static final List<String> PRIVATE = List.of(
            "jdk.InitialEnvironmentVariable", "jdk.InitialSystemProperty", "jdk.JVMInformation", "jdk.SystemProcess");

    private final Recording recording;
    private @Nullable InputStream data;

    private FlightRecording(Recording recording) {
        this.recording = recording;
    }

    /** Why there are no recordings in this process; empty if there are. */
    public static String absence() {
        return ModuleLayer.boot().findModule("jdk.jfr").isEmpty()
                ? "this Java runtime has no Flight Recorder: it was made without the module jdk.jfr"
                : FlightRecorder.isAvailable() ? "" : "Flight Recorder is turned off in this Java runtime";
    }

    /** Begins it, with the settings "profile". IllegalStateException, for the operator, if there is no Flight Recorder. */
    public static FlightRecording begin() throws IOException {
        String absence = absence();
        if (!absence.isEmpty()) {
            throw new IllegalStateException(absence);
        }
        Recording recording;
        try {
            recording = new Recording(Configuration.getConfiguration("profile"));
        } catch (ParseException impossible) {
            throw new IOException(impossible);
        }
        FlightRecording begun = new FlightRecording(recording);
        boolean isStarted = false;
        try {
            recording.setName(NAME);
            recording.setToDisk(true);
            recording.setMaxSize(BYTES_MAX);
            PRIVATE.forEach(recording::disable);
            recording.start();
            isStarted = true;
            return begun;
        } finally {
            if (!isStarted) {
                begun.close();
            }
        }
    }

    /** Ends it; its bytes, as a .jfr file has them. Closed with this. */
    public InputStream end() throws IOException {
        recording.stop();
        InputStream recorded = recording.getStream(null, null);
        if (recorded == null) {
            throw new IOException("nothing was recorded");
        }
        data = recorded;
        return recorded;
    }

    @Override
    public void close() throws IOException {
        InputStream read = data;
        try {
            if (read != null) {
                read.close();
            }
        } finally {
            recording.close();
        }
    }
}
