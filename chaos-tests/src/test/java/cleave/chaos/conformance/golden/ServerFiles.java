package cleave.chaos.conformance.golden;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * What a front end of the scenes is given, besides what its suite gives it. Immutable.
 *
 * @param settings of the role
 */
record ServerFiles(Map<String, String> settings) {
    ServerFiles {
        settings = Map.copyOf(settings);
    }

    static ServerFiles in(Path folder, List<Scene> scenes) {
        return new ServerFiles(Map.of(
                // Each loop remembers policies and properties for a while: what one exchange changes, the next one is
                // to see.
                "front-end.loops",
                "1",
                "front-end.accounts",
                accounts(folder, scenes).toString()));
    }

    private static Path accounts(Path folder, List<Scene> scenes) {
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
}
