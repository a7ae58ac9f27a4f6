package cleave.master.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.runtime.settings.Settings;
import cleave.runtime.settings.Settings.BadSetting;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class BalancerSettingsTest {
    @Test
    void textsGiveTheSameSettingsBack() {
        BalancerSettings changed = BalancerSettings.DEFAULT.with(Map.of(
                "balancer.split-bytes",
                "1025KiB",
                "balancer.merge-window",
                "1500ms",
                "balancer.move-gain",
                "7%",
                "balancer.merge",
                "false"));
        assertThat(BalancerSettings.of(changed.texts())).isEqualTo(changed);
        assertThat(changed.texts()).containsEntry("balancer.merge-window", "1500ms");
        assertThat(changed.moveGain()).isEqualTo(0.07);
    }

    @Test
    void everySettingThatIsReadIsShown() {
        Settings settings = new Settings(Map.of());
        BalancerSettings.from(settings);
        assertThat(BalancerSettings.DEFAULT.texts().keySet()).isEqualTo(settings.known());
    }

    @Test
    void wrongNameIsRefusedWithTheLegalOnes() {
        assertThatThrownBy(() -> BalancerSettings.DEFAULT.with(Map.of("balancer.split-lode", "1")))
                .isInstanceOf(BadSetting.class)
                .hasMessageContaining("balancer.split-lode")
                .hasMessageContaining("balancer.split-load");
    }

    @ParameterizedTest
    @CsvSource({
        "balancer.split-load,fast",
        "balancer.split-load,0",
        "balancer.split-bytes,0",
        "balancer.merge,perhaps",
        "balancer.merge-load,60%",
        "balancer.merge-bytes,95%",
        "balancer.split-hot-seconds,5",
        "balancer.move-gap,0.5",
        "balancer.merge-window,2562047h",
        "balancer.refusal-pause,2562047h"
    })
    void wrongValueIsRefusedByName(String name, String text) {
        assertThatThrownBy(() -> BalancerSettings.DEFAULT.with(Map.of(name, text)))
                .isInstanceOf(BadSetting.class)
                .hasMessageContaining(name);
    }
}
