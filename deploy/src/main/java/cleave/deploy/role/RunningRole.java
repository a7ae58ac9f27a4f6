package cleave.deploy.role;

import cleave.model.Facts;
import cleave.model.Readiness;
import cleave.runtime.settings.ProcessMemory;
import cleave.runtime.tls.CredentialsFolder;
import io.netty.handler.ssl.SslContext;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** A role as the process that hosts it sees it. Thread-safe. */
public interface RunningRole extends AutoCloseable {
    /** For people: {@code server s1}. */
    String name();

    /** The memory that the process may use at most; checked when the settings were read. */
    ProcessMemory memory();

    /** Called before the start, if at all: where the process serves its metrics, HOST:PORT, which the role has the masters know. */
    default void metricsAt(String address) {}

    /** Begins its work and returns when it listens; it may become ready only later. */
    void start();

    Readiness readiness();

    /** The loops of a started one, by their names: none of them may be stuck. */
    Map<String, Executor> loops();

    /** The certificate that it shows to other roles; null without TLS. */
    default CredentialsFolder.@Nullable Use certificate() {
        return null;
    }

    /** A context for the TLS of the admin port; null without. Called before the start. */
    default @Nullable SslContext adminTls() {
        return null;
    }

    /** The settings in force, by their names: those that were given, and the others by default. */
    default SortedMap<String, String> settings() {
        return new TreeMap<>();
    }

    /** What an operator wants to know of it first, by role; of a started one. */
    default Facts status() {
        return Facts.NONE;
    }

    /** The address at which it can be reached, for people. */
    String address();

    /** The time that {@link #leave} may take, in nanoseconds; 0 where there is nothing to hand over. */
    default long leaveNanosMax() {
        return 0;
    }

    /**
     * Called once, before {@link #close}, when the process is to end while all others go on: hands over what it has, and serves until then.
     * {@link #readiness} says no from now on. Returns when nothing is left to hand over, when the time is up, or soon after the end was
     * hurried.
     */
    default void leave(EndSignals signals) throws InterruptedException {}

    @Override
    void close();
}
