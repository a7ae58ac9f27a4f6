package cleave.client;

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

        assertThat(endpoint.url()).isEqualTo("https://me.table.core.windows.net");
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

    /** The URLs have the form that {@code cleave sas table --print url} prints. */
    @ParameterizedTest
    @CsvSource({
        "http://127.0.0.1:10002/me/Orders?sv=1&tn=orders&sig=x, http://127.0.0.1:10002/me, me",
        "http://127.0.0.1:10002/me/Orders()?sv=1&tn=Orders&sig=x, http://127.0.0.1:10002/me, me",
        "https://front.example.net/me/Orders?tn=Orders&sig=x, https://front.example.net/me, me",
        "https://me.table.example.net/Orders?tn=Orders&sig=x, https://me.table.example.net, me",
        "http://localhost:10002/orders?tn=orders&sig=x, http://localhost:10002/orders, orders",
        "http://127.0.0.1:10002/me?tn=Orders&sig=x, http://127.0.0.1:10002/me, me",
        "http://127.0.0.1:10002/me/Orders?ss=t&sig=x, http://127.0.0.1:10002/me, me"
    })
    void theUrlOfATableIsThatOfItsAccountWithATable(String url, String base, String account) {
        Endpoint endpoint = ConnectionString.parse(url);

        assertThat(endpoint.url()).isEqualTo(base);
        assertThat(endpoint.credential().account()).isEqualTo(account);
        assertThat(new Requests(endpoint).query("Orders", List.of()).target())
                .isEqualTo(endpoint.prefix() + "/Orders()?" + url.substring(url.indexOf('?') + 1));
    }

    @Test
    void aSignatureNamesItsTableIfItIsForOneAlone() {
        assertThat(new Sas("me", "sv=1&tn=Orders&sig=x").table()).isEqualTo("Orders");
        assertThat(new Sas("me", "sv=1&ss=t&sig=x").table()).isEmpty();
    }

    @Test
    void noTextFormHoldsAKeyOrASignature() {
        Endpoint withKey = ConnectionString.parse("AccountName=me;AccountKey=" + KEY + ";TableEndpoint=http://h:1/me");
        Endpoint withSas = ConnectionString.parse("http://h:1/me/Orders?sv=1&tn=Orders&sig=secret%3D&se=2099");

        for (Endpoint endpoint : List.of(withKey, withSas)) {
            Requests requests = new Requests(endpoint);
            assertThat(endpoint + " " + endpoint.credential() + " " + requests + " " + requests.get("Orders", "p", "r"))
                    .doesNotContain(KEY)
                    .doesNotContain("secret");
        }
        assertThat(new Requests(withSas).query("Orders", List.of()))
                .hasToString("GET /me/Orders()?sv=1&tn=Orders&sig=...&se=2099");
    }

    @ParameterizedTest
    @CsvSource({
        "AccountKey=c2VjcmV0, neither TableEndpoint nor AccountName",
        "AccountName=me, neither AccountName and AccountKey nor a SharedAccessSignature",
        "AccountName=me;AccountKey=%%c2VjcmV0, the AccountKey of account me is not base64",
        "http://h:1/me?c2VjcmV0, no shared access signature",
        "http://h:1/me/Orders?tn=Other&sig=c2VjcmV0, but its signature of table 'Other'",
        "AccountName=me;AccountKey=c2VjcmV0;TableEndpoint=h:1, is no URL"
    })
    void whatIsWrongIsToldWithoutTheSecret(String text, String message) {
        assertThatThrownBy(() -> ConnectionString.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message)
                .satisfies(wrong -> assertThat(wrong.getMessage()).doesNotContain("c2VjcmV0"));
    }
}
