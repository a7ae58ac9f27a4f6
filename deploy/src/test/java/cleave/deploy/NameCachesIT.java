package cleave.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** In a JVM of its own, because the JVM reads these settings once. */
class NameCachesIT {
    private static final String NAME = "pod.of.a.test";

    @TempDir
    private Path dir;

    @Test
    void aNameThatGetsAnotherAddressIsFoundThereWithoutARestart() throws IOException, InterruptedException {
        Path hosts = dir.resolve("hosts");
        Files.writeString(hosts, "127.0.0.2 " + NAME + "\n");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Djdk.net.hosts.file=" + hosts,
                        "-cp",
                        System.getProperty("java.class.path"),
                        Lookups.class.getName(),
                        hosts.toString())
                .redirectErrorStream(true)
                .redirectOutput(dir.resolve("out").toFile())
                .start();
        boolean ended = process.waitFor(60, TimeUnit.SECONDS);
        process.destroyForcibly();
        assertThat(Files.readString(dir.resolve("out"))).contains("moved");
        assertThat(ended).isTrue();
    }

    /** Moves the name, and looks it up until it is found at its new address; 25 seconds are fewer than the JVM's 30. */
    static final class Lookups {
        private Lookups() {}

        public static void main(String[] args) throws IOException {
            NameCaches.shorten();
            System.out.println(address());
            Files.writeString(Path.of(args[0]), "127.0.0.3 " + NAME + "\n");
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(25);
            while (!address().equals("127.0.0.3") && System.nanoTime() < deadline) {
                LockSupport.parkNanos(20_000_000);
            }
            System.out.println(address().equals("127.0.0.3") ? "moved" : "cached");
        }

        private static String address() throws UnknownHostException {
            return InetAddress.getAllByName(NAME)[0].getHostAddress();
        }
    }
}
