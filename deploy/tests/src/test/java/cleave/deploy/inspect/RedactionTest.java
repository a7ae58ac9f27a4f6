package cleave.deploy.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RedactionTest {
    @ParameterizedTest
    @CsvSource({
        "tls, /etc/cleave/peers, /etc/cleave/peers",
        "dfs, bookkeeper://zk1:2281/cleave, bookkeeper://zk1:2281/cleave",
        "dfs, dfs://alice:pass@host:1/x, dfs://***@host:1/x",
        "front-end.token-keys, https://issuer/keys?sig=abc%3D&v=1, https://issuer/keys?sig=***&v=1",
        "tlsKeyStorePassword, hunter2, ***",
        "any, DefaultEndpointsProtocol=http;AccountName=a;AccountKey=Zm9v==;, DefaultEndpointsProtocol=http;AccountName=a;AccountKey=***;"
    })
    void whatIsSecretIsNotShown(String name, String value, String shown) {
        assertThat(Redaction.of(new TreeMap<>(Map.of(name, value)))).containsExactly(Map.entry(name, shown));
    }

    @Test
    void anEmptySecretIsShownToBeEmpty() {
        assertThat(Redaction.value("a.password", "")).isEmpty();
    }
}
