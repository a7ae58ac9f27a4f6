package cleave.chaos.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConnectionStringTest {
    private static final String KEY = "c2VjcmV0";

    @Test
    void anAccountKeyWithAnEndpoint() {
        Endpoint endpoint = ConnectionString.parse(
                "AccountName=me;AccountKey=" + KEY + ";TableEndpoint=http://10.0.0.1:1002/me/;\n");

        assertThat(endpoint.url()).isEqualTo("http://10.0.0.1:1002/me");
        assertThat(endpoint.sharedKey().key()).isEqualTo(KEY);
        assertThat(new Requests(endpoint).get("T", "p", "r").header("Authorization"))
                .startsWith("SharedKeyLite me:");
    }

    @Test
    void withoutAnEndpointItIsThatOfTheService() {
        Endpoint endpoint = ConnectionString.parse(
                "DefaultEndpointsProtocol=https;AccountName=me;AccountKey=" + KEY + ";EndpointSuffix=core.windows.net");

        assertThat(endpoint.url()).isEqualTo("https://me.table.core.windows.net:443");
    }

    @Test
    void aSharedAccessSignatureGoesWithEveryRequest() {
        Endpoint endpoint = ConnectionString.parse(
                "TableEndpoint=https://me.table.core.windows.net/;SharedAccessSignature=?sv=2019-02-02&sig=a%2Bb%3D");
        Requests requests = new Requests(endpoint);

        assertThat(requests.get("T", "p", "r").target())
                .isEqualTo("/T(PartitionKey='p',RowKey='r')?sv=2019-02-02&sig=a%2Bb%3D");
        assertThat(requests.query("T", List.of("$top=5")).target()).isEqualTo("/T()?$top=5&sv=2019-02-02&sig=a%2Bb%3D");
        assertThat(endpoint.credential()).hasToString("Sas[me]");
        assertThatThrownBy(endpoint::sharedKey).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void theUrlOfASharedAccessSignatureSufficesAndTheEmulatorHasAName() {
        assertThat(ConnectionString.parse("http://127.0.0.1:10002/me?sv=1&sig=x")
                        .credential()
                        .account())
                .isEqualTo("me");
        assertThat(ConnectionString.parse("UseDevelopmentStorage=true"))
                .extracting(Endpoint::url)
                .isEqualTo(Endpoint.development(10002).url());
    }

    @ParameterizedTest
    @CsvSource({
        "AccountKey=c2VjcmV0, neither TableEndpoint nor AccountName",
        "AccountName=me, neither AccountName and AccountKey nor a SharedAccessSignature",
        "AccountName=me;AccountKey=%%c2VjcmV0, the AccountKey of account me is not base64",
        "http://h:1/me?c2VjcmV0, no shared access signature",
        "AccountName=me;AccountKey=c2VjcmV0;TableEndpoint=h:1, is no URL"
    })
    void whatIsWrongIsToldWithoutTheSecret(String text, String message) {
        assertThatThrownBy(() -> ConnectionString.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message)
                .satisfies(wrong -> assertThat(wrong.getMessage()).doesNotContain("c2VjcmV0"));
    }
}
