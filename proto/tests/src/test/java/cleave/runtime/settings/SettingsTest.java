package cleave.runtime.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class SettingsTest {
    private static Settings of(String key, String value) {
        return new Settings(Map.of(key, value));
    }

    @ParameterizedTest
    @CsvSource({"200ms,200000000", "2s,2000000000", "10m,600000000000", "1h,3600000000000", "5us,5000", "7ns,7", "0,0"})
    void durationsHaveUnits(String text, long nanos) {
        assertThat(of("wait", text).nanos("wait", "1s")).isEqualTo(nanos);
    }

    @ParameterizedTest
    @CsvSource({"64KiB,65536", "16MiB,16777216", "1GiB,1073741824", "12,12", "12B,12", "0,0"})
    void sizesHaveBinaryUnits(String text, long bytes) {
        assertThat(of("size", text).bytes("size", "1KiB")).isEqualTo(bytes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "12", "1.5s", "-1s", "1 day", "s", "10001h", "99999999999999h"})
    void wrongDurationIsRefusedWithTheKeyTheValueAndWhatIsRight(String text) {
        assertThatThrownBy(() -> of("wait", text).nanos("wait", "1s"))
                .isInstanceOf(Settings.BadSetting.class)
                .hasMessageContaining("wait")
                .hasMessageContaining("'" + text + "'")
                .hasMessageContaining("200ms");
    }

    @ParameterizedTest
    @ValueSource(strings = {"1KB", "x", "-1", "99999999999GiB"})
    void wrongSizeIsRefused(String text) {
        assertThatThrownBy(() -> of("size", text).bytes("size", "1KiB")).isInstanceOf(Settings.BadSetting.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "11", "many", ""})
    void countsAreWholeNumbersWithinTheirBounds(String text) {
        assertThatThrownBy(() -> of("count", text).count("count", 3, 1, 10))
                .isInstanceOf(Settings.BadSetting.class)
                .hasMessageContaining("from 1 to 10");
    }

    @ParameterizedTest
    @CsvSource({"0%,0", "25%,0.25", "100%,1", "7 %,0.07"})
    void sharesAreWholePerCents(String text, double share) {
        assertThat(of("share", text).share("share", "50%")).isEqualTo(share);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "25", "0.25", "101%", "-1%", "9999%"})
    void wrongShareIsRefused(String text) {
        assertThatThrownBy(() -> of("share", text).share("share", "50%"))
                .isInstanceOf(Settings.BadSetting.class)
                .hasMessageContaining("such as 25%");
    }

    @Test
    void whatIsNotGivenIsTheDefault() {
        Settings settings = new Settings(Map.of());
        assertThat(settings.text("a", "x")).isEqualTo("x");
        assertThat(settings.count("b", 3, 1, 10)).isEqualTo(3);
        assertThat(settings.flag("c", true)).isTrue();
        assertThat(settings.list("d", "p, q,")).containsExactly("p", "q");
        assertThat(settings.known()).containsExactly("a", "b", "c", "d");
    }

    @Test
    void whatWasReadIsDescribedAsItWasReadFirst() {
        Settings settings = of("dir", "d");
        settings.path("dir");
        settings.count("b", 3, 1, 10);
        settings.bytesOf(1 << 20, "c", "25%");
        settings.text("b", "again");

        assertThat(settings.described())
                .containsExactly(
                        Map.entry("b", new Settings.Known("3", "1 to 10")),
                        Map.entry("c", new Settings.Known("25%", "size or share")),
                        Map.entry("dir", new Settings.Known(null, "path")));
    }

    @Test
    void flagsAreTrueOrFalse() {
        assertThat(of("flag", "false").flag("flag", true)).isFalse();
        assertThatThrownBy(() -> of("flag", "yes").flag("flag", true)).isInstanceOf(Settings.BadSetting.class);
    }

    @Test
    void missingTextSaysHowToGiveIt() {
        assertThatThrownBy(() -> new Settings(Map.of()).text("masters")).hasMessageContaining("--set masters=");
    }

    @Test
    void keyThatNobodyReadsStopsTheStart() {
        Settings settings = of("server.adress", "x");
        settings.text("server.address", "");
        assertThatThrownBy(settings::refuseUnknown)
                .isInstanceOf(Settings.BadSetting.class)
                .hasMessageContaining("server.adress")
                .hasMessageContaining("did you mean server.address? known are server.address");
    }

    @Test
    void theUnknownSettingsOfOneRoleAreAnsweredWithItsOwn() {
        Settings settings = of("server.lops", "1");
        List.of("server.loops", "server.readers", "master.tick", "dfs").forEach(key -> settings.text(key, ""));
        assertThatThrownBy(settings::refuseUnknown)
                .hasMessage(
                        "unknown setting server.lops; did you mean server.loops? known are server.loops, server.readers");
    }

    @ParameterizedTest
    @CsvSource({
        "server.lops,server.loops",
        "SERVER.LOOPS,server.loops",
        "--prot,--port",
        "--daat,--data",
        "x,''",
        "--wxyz,''"
    })
    void aMistypedNameHasANearestOne(String mistyped, String meant) {
        assertThat(NearestName.of(mistyped, List.of("server.loops", "server.readers", "--port", "--data"))
                        .orElse(""))
                .isEqualTo(meant);
    }

    @Test
    void aPathThatCannotBeOneIsAWrongSetting() {
        assertThat(of("dir", "a/b").path("dir")).isEqualTo(Path.of("a/b"));
        assertThat(new Settings(Map.of()).path("dir", "c")).isEqualTo(Path.of("c"));
        assertThatThrownBy(() -> of("dir", "a\0b").path("dir"))
                .isInstanceOf(Settings.BadSetting.class)
                .hasMessageContaining("setting dir is")
                .hasMessageContaining("Nul character not allowed");
    }

    @Test
    void keysThatWereReadAreNotRefused() {
        Settings settings = of("a", "1");
        settings.count("a", 0, 0, 9);
        settings.refuseUnknown();
    }
}
