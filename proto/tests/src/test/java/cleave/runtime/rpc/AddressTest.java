package cleave.runtime.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class AddressTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "127.0.0.1:80",
                "server-2.cleave:7000",
                "[::1]:7000",
                "inproc:master",
                "localhost:0",
                "10.0.0.7:1/cleave-server",
                "[::1]:7/a.b"
            })
    void addressComesBackAsItWasWritten(String text) {
        assertThat(Address.parse(text)).hasToString(text);
    }

    @Test
    void addressInsideTheProcessHasAName() {
        assertThat(Address.parse("inproc:a:1")).isEqualTo(new Address("a:1", -1));
        assertThat(Address.parse("inproc:x").isInProcess()).isTrue();
        assertThat(Address.parse("x:1").isInProcess()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "host",
                "host:",
                ":80",
                "host:x",
                "host:70000",
                "host:-1",
                "inproc:",
                "::1",
                "h:1/",
                "h/n:1",
                "h/n",
                "/n",
                "h:1/a/b",
                "h:1/-",
                "h:1/a:2"
            })
    void whatIsNoAddressIsRefusedWithWhatIsRight(String text) {
        assertThatThrownBy(() -> Address.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'" + text + "'")
                .hasMessageContaining("host:port");
    }
}
