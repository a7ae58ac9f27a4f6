package cleave.exchanges;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;

/** The exchanges of {@code front-end/testing/exchanges} against a server. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class GoldenContract {
    private final List<Scene> scenes;

    /** @param folder of the exchanges */
    protected GoldenContract(Path folder) throws IOException {
        scenes = ExchangeFile.allIn(folder);
    }

    protected final List<Scene> scenes() {
        return scenes;
    }

    protected abstract Stage stage(Scene scene);

    /** False for a scene that shows what this server does not have. */
    protected boolean plays(Scene scene) {
        return true;
    }

    @TestFactory
    Stream<DynamicTest> exchanges() {
        return scenes.stream()
                .filter(this::plays)
                .map(scene -> DynamicTest.dynamicTest(scene.id(), () -> new Performance(scene, stage(scene)).play()));
    }

    @Test
    void scenesHaveNamesOfTheirOwn() {
        assertThat(scenes).extracting(Scene::id).doesNotHaveDuplicates();
        assertThat(scenes).extracting(Scene::account).allMatch(name -> name.length() <= 63);
    }
}
