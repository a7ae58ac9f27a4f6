package cleave.deploy.role;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.runtime.settings.Settings.BadSetting;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ListenAddressTest {
    @Test
    void hostAndPortAreTakenApart() {
        assertThat(ListenAddress.parse("x", "127.0.0.1:10002")).isEqualTo(new ListenAddress("127.0.0.1", 10002));
        assertThat(ListenAddress.parse("x", "[::1]:0")).isEqualTo(new ListenAddress("[::1]", 0));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "127.0.0.1", ":1", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:65536", "127.0.0.1:-1"})
    void whatIsNoAddressIsRefusedWithTheNameOfTheSetting(String text) {
        assertThatThrownBy(() -> ListenAddress.parse("admin.listen", text))
                .isInstanceOf(BadSetting.class)
                .hasMessage("setting admin.listen is '" + text + "' but must be host:port, such as 127.0.0.1:10002");
    }

    @Test
    void aPortThatIsListenedOnIsNotFree() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThat(new ListenAddress("127.0.0.1", taken.getLocalPort()).isFree())
                    .isFalse();
        }
        assertThat(new ListenAddress("127.0.0.1", 0).isFree()).isTrue();
    }
}
