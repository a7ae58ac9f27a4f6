package cleave.chaos.conformance.golden;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;

/** The exchanges of {@code src/test/resources/exchanges} against the real server. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class GoldenContract {
    private final List<Scene> scenes;

    GoldenContract() throws IOException {
        scenes = ExchangeFile.all();
    }

    final List<Scene> scenes() {
        return scenes;
    }

    abstract Stage stage(Scene scene);

    /** Scenes that each build plays. */
    List<Scene> ofEachBuild() {
        return scenes;
    }

    private Stream<DynamicTest> plays(Stream<Scene> played) {
        return played.map(scene ->
                DynamicTest.dynamicTest(scene.id(), () -> new Performance(scene, stage(scene)).play()));
    }

    @TestFactory
    Stream<DynamicTest> exchanges() {
        return plays(ofEachBuild().stream());
    }

    @TestFactory
    @Tag("nightly")
    Stream<DynamicTest> otherExchanges() {
        return plays(scenes.stream().filter(scene -> !ofEachBuild().contains(scene)));
    }

    @Test
    void scenesHaveNamesOfTheirOwn() {
        assertThat(scenes).extracting(Scene::id).doesNotHaveDuplicates();
        assertThat(scenes).extracting(Scene::account).allMatch(name -> name.length() <= 63);
    }
}
