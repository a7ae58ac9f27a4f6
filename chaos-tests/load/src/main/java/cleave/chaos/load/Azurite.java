package cleave.chaos.load;

import cleave.chaos.process.Dependents;
import cleave.client.Endpoint;
import cleave.deploy.cluster.Ports;
import cleave.deploy.terminal.Wait;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Azurite, the emulator with which Cleave is compared: one of its services in its default disk mode, as a separate process, installed by npm into a
 * folder. Confined to its owner.
 */
public final class Azurite implements AutoCloseable {
    private static final long INSTALL_MINUTES = 10;
    private static final Duration START = Duration.ofSeconds(60);
    private static final Duration END = Duration.ofSeconds(10);
    private static final Duration PAUSE = Duration.ofMillis(50);

    /** The service of one of its processes. */
    public enum Service {
        BLOB,
        TABLE;

        private String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private final Process process;
    private final int port;

    private Azurite(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    /** Installs Azurite and the version of Node that it needs below the folder, unless they are there. */
    public static void install(Path folder) throws IOException, InterruptedException {
        Files.createDirectories(folder);
        if (isInstalled(folder)) {
            return;
        }
        Files.writeString(folder.resolve("package.json"), "{\"private\":true}\n");
        Process npm = new ProcessBuilder("npm", "install", "--no-audit", "--no-fund", "node@22", "azurite@3")
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("npm.log").toFile())
                .start();
        Dependents.add(npm.toHandle());
        if (!npm.waitFor(INSTALL_MINUTES, TimeUnit.MINUTES) || npm.exitValue() != 0 || !isInstalled(folder)) {
            npm.destroy();
            throw new IOException("npm could not install Azurite; see " + folder.resolve("npm.log"));
        }
    }

    public static String version(Path folder) throws IOException {
        String text = Files.readString(folder.resolve("node_modules/azurite/package.json"));
        return text.replaceFirst("(?s).*\"version\"\\s*:\\s*\"([^\"]+)\".*", "$1");
    }

    private static boolean isInstalled(Path folder) {
        return Files.exists(main(folder, Service.TABLE)) && Files.exists(node(folder));
    }

    private static Path main(Path folder, Service service) {
        return folder.resolve("node_modules/azurite/dist/src/" + service.word() + "/main.js");
    }

    private static Path node(Path folder) {
        return folder.resolve("node_modules/node/bin/node");
    }

    /** Starts a service on a free port with its data in a folder. */
    public static Azurite start(Service service, Path folder, Path data) throws IOException {
        int port;
        try (Ports ports = new Ports()) {
            port = ports.free();
        }
        Files.createDirectories(data);
        Process process = new ProcessBuilder(List.of(
                        node(folder).toString(),
                        main(folder, service).toString(),
                        "--location",
                        data.toString(),
                        "--" + service.word() + "Host",
                        "127.0.0.1",
                        "--" + service.word() + "Port",
                        Integer.toString(port),
                        "--disableTelemetry",
                        "--silent"))
                .redirectErrorStream(true)
                .redirectOutput(data.resolve("azurite.log").toFile())
                .start();
        Dependents.add(process.toHandle());
        Azurite azurite = new Azurite(process, port);
        azurite.awaitListening();
        return azurite;
    }

    private void awaitListening() throws IOException {
        boolean ended = !Wait.until(() -> listens() || !process.isAlive(), START, PAUSE) || !process.isAlive();
        if (ended) {
            close();
            throw new IOException("Azurite does not listen on port " + port);
        }
    }

    private boolean listens() {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException notYet) {
            return false;
        }
    }

    public long id() {
        return process.pid();
    }

    public Endpoint endpoint() {
        return Endpoint.development(port);
    }

    @Override
    public void close() {
        process.destroy();
        process.onExit()
                .completeOnTimeout(process, END.toMillis(), TimeUnit.MILLISECONDS)
                .join();
    }
}
