package cleave.chaos.conformance.golden;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.chaos.system.Folders;
import cleave.deploy.role.ListenAddress;
import cleave.deploy.standalone.Standalone;
import cleave.deploy.standalone.StandaloneConfig;
import io.prometheus.client.CollectorRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;

/** Every exchange of {@code src/test/resources/exchanges} against the real server. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class GoldenExchangesIT {
    private final List<Scene> scenes;
    private final Map<Map<String, String>, Standalone> servers = new HashMap<>();

    GoldenExchangesIT() throws IOException {
        scenes = ExchangeFile.all();
    }

    @TestFactory
    Stream<DynamicTest> exchanges() {
        return scenes.stream()
                .map(scene -> DynamicTest.dynamicTest(scene.id(), () -> new Performance(scene, port(scene)).play()));
    }

    @Test
    void scenesHaveNamesOfTheirOwn() {
        assertThat(scenes).extracting(Scene::id).doesNotHaveDuplicates();
        assertThat(scenes).extracting(Scene::account).allMatch(name -> name.length() <= 63);
    }

    private int port(Scene scene) {
        String address =
                servers.computeIfAbsent(scene.settings(), this::started).address();
        return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
    }

    private Standalone started(Map<String, String> settings) {
        Path folder = Folders.fresh("golden");
        Map<String, String> all = new TreeMap<>(settings);
        // Each loop remembers tables for a while: what one exchange changes, the next one is to see.
        all.put("front-end.loops", "1");
        all.put("front-end.accounts", accounts(folder).toString());
        StandaloneConfig config = new StandaloneConfig(folder.resolve("data"), new ListenAddress("127.0.0.1", 0), all);
        Standalone server = new Standalone(config, new CollectorRegistry());
        server.start();
        return server;
    }

    private Path accounts(Path folder) {
        List<String> lines = new ArrayList<>();
        for (Scene scene : scenes) {
            if (scene.traits().contains("=")) {
                lines.add(scene.account() + "." + scene.traits());
            }
        }
        for (String account : new TreeSet<>(scenes.stream().map(Scene::account).toList())) {
            lines.add(account + "=" + Signing.KEYS.get("first"));
            lines.add(account + "=" + Signing.KEYS.get("second"));
        }
        try {
            return Files.write(folder.resolve("accounts"), lines);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    @AfterAll
    void close() {
        servers.values().forEach(Standalone::close);
    }
}
