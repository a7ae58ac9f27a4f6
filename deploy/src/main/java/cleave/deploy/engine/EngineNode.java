package cleave.deploy.engine;

import cleave.deploy.ExitCode;
import cleave.deploy.role.RunningRole;
import cleave.model.Readiness;
import cleave.runtime.settings.ProcessMemory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A program of the engine in this process, as the process sees it. The program ends the process when it ends, and closes its resources when
 * the process ends. Thread-safe.
 */
final class EngineNode implements RunningRole {
    private static final Logger LOG = LoggerFactory.getLogger(EngineNode.class);

    private final Part part;
    private final ProcessMemory memory;
    private final Map<String, String> settings;

    /** The part in which the programs differ. Thread-safe, except that {@link #await} is called once. */
    interface Part {
        EngineProgram program();

        String name();

        /** The address at which it can be reached, for people. */
        String address();

        /** Waits until the program can start; returns its arguments. */
        String[] await() throws IOException, InterruptedException;

        Readiness readiness();

        /** The folders whose disks must not fill up. */
        List<Path> folders();
    }

    EngineNode(Part part, EngineConfig config) {
        this.part = part;
        this.settings = config.settings();
        this.memory = ProcessMemory.withStores(config.rocksBytes()).check();
    }

    @Override
    public String name() {
        return part.name();
    }

    @Override
    public ProcessMemory memory() {
        return memory;
    }

    @Override
    public void start() {
        Thread thread = new Thread(this::run, "engine");
        thread.setDaemon(true);
        thread.start();
    }

    private void run() {
        try {
            String[] arguments = part.await();
            LOG.info("engine starts program={}", part.program());
            part.program().run(arguments);
            LOG.error("engine ended, the process ends program={}", part.program());
        } catch (IOException | RuntimeException failed) {
            LOG.error("engine failed, the process ends program={}", part.program(), failed);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        } finally {
            System.exit(ExitCode.FAILED); // Also after an Error, such as that of a library that is missing.
        }
    }

    @Override
    public Readiness readiness() {
        return part.readiness();
    }

    @Override
    public SortedMap<String, String> settings() {
        return new TreeMap<>(settings);
    }

    /** The program has none of ours. */
    @Override
    public Map<String, Executor> loops() {
        return Map.of();
    }

    @Override
    public String address() {
        return part.address();
    }

    @Override
    public void close() {}
}
