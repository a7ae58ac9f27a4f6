package cleave.chaos.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** A run gives back the settings that it changed. */
class BorrowedSettingsTest {
    private final Map<String, String> cluster =
            new TreeMap<>(Map.of("balancer.move", "true", "balancer.split", "true", "balancer.split-load", "2000"));
    private final List<String> told = new ArrayList<>();
    private final BorrowedSettings settings = new BorrowedSettings(() -> cluster, cluster::putAll, told::add);

    @Test
    void settingsAreThoseFromBeforeTheFirstChangeAgain() {
        settings.change(Map.of("balancer.split", "false"));
        settings.change(Map.of("balancer.split-load", "100"));
        settings.change(Map.of("balancer.split-load", "200"));
        assertThat(cluster).containsEntry("balancer.split", "false").containsEntry("balancer.split-load", "200");

        settings.close();

        assertThat(cluster)
                .isEqualTo(Map.of("balancer.move", "true", "balancer.split", "true", "balancer.split-load", "2000"));
    }

    @Test
    void endOfTheProcessGivesThemBackAndNoChangeFollows() throws InterruptedException {
        Thread hook = settings.restoring();
        settings.change(Map.of("balancer.split", "false"));

        hook.start();
        hook.join();

        assertThat(cluster).containsEntry("balancer.split", "true");
        assertThatThrownBy(() -> settings.change(Map.of("balancer.split", "false")))
                .hasMessageContaining("the run has ended");
        cluster.put("balancer.split", "changed by an operator since");
        settings.close();
        assertThat(cluster).containsEntry("balancer.split", "changed by an operator since");
    }

    @Test
    void whatCannotBeGivenBackIsTold() throws InterruptedException {
        BorrowedSettings failing = new BorrowedSettings(
                () -> cluster,
                changes -> {
                    if (changes.containsValue("true")) {
                        throw new IllegalStateException("no leader");
                    }
                },
                told::add);
        failing.change(Map.of("balancer.split", "false"));

        Thread hook = failing.restoring();
        hook.start();
        hook.join();

        assertThat(told).singleElement().asString().contains("balancer.split=true", "no leader");
    }

    @Test
    void unknownSettingIsRefusedBeforeAnythingChanges() {
        assertThatThrownBy(() -> settings.change(Map.of("balancer.split", "false", "balancer.size", "1")))
                .hasMessageContaining("no setting balancer.size");
        assertThat(cluster).containsEntry("balancer.split", "true");
    }
}
