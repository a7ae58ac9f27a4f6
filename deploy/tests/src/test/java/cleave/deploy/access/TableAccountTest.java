package cleave.deploy.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.client.Endpoint;
import cleave.deploy.CommandFailure;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TableAccountTest {
    @Test
    void theDevelopmentConnectionStringIsUnderstood() {
        Endpoint account = TableAccount.ofConnectionString("UseDevelopmentStorage=true");

        assertThat(account.credential().account()).isEqualTo("devstoreaccount1");
        assertThat(account.url()).isEqualTo("http://127.0.0.1:10002/devstoreaccount1");
    }

    @Test
    void whatItPrintsItReads() {
        Endpoint account = TableAccount.at("http://127.0.0.1:4711/", "cleave", "a2V5");

        assertThat(TableAccount.ofConnectionString(account.connectionString()).connectionString())
                .isEqualTo(account.connectionString());
    }

    @Test
    void withoutAnEndpointTheHostIsMadeOfTheAccount() {
        Endpoint account = TableAccount.ofConnectionString(
                "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=a2V5;EndpointSuffix=core.windows.net");

        assertThat(account.url()).isEqualTo("https://a.table.core.windows.net");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "AccountName=a",
                "AccountName=a;AccountKey=!!!;TableEndpoint=http://h",
                "AccountName=a;AccountKey=a2V5;TableEndpoint=h p",
                "AccountName=a;AccountKey=a2V5;TableEndpoint=file:/x"
            })
    void whatIsNoConnectionStringIsRefused(String text) {
        assertThatThrownBy(() -> TableAccount.ofConnectionString(text)).isInstanceOf(CommandFailure.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "TableEndpoint=http://h:1/a;SharedAccessSignature=sv=1&sig=c2VjcmV0",
                "http://h:1/a/Orders?tn=Orders&sig=c2VjcmV0"
            })
    void aSharedAccessSignatureIsNoKeyAndIsToldSoWithoutIt(String text) {
        assertThat(TableAccount.isSignature(text)).isTrue();
        assertThatThrownBy(() -> TableAccount.ofConnectionString(text))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("a shared access signature, but an account's key is needed")
                .satisfies(wrong -> assertThat(wrong.getMessage()).doesNotContain("c2VjcmV0"));
    }

    @Test
    void noTextFormHoldsTheKey() {
        Endpoint account = TableAccount.at("http://h:1", "a", "c2VjcmV0");
        Deployment deployment = new Deployment(List.of("m:1"), List.of("http://h:1"), null, "a", "c2VjcmV0");

        assertThat(account + " " + deployment).contains("http://h:1").doesNotContain("c2VjcmV0");
    }
}
