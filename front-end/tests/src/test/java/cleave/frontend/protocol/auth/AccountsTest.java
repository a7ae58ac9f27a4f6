package cleave.frontend.protocol.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AccountsTest {
    @Test
    void linesAreNamesAndKeys() {
        Accounts accounts = Accounts.parse(List.of("# ours", "", "  one = a2V5MQ== ", "two=a2V5Mg==", "one=a2V5Mw=="));
        assertThat(accounts.names()).containsExactly("one", "two");
        assertThat(accounts.find("one"))
                .extracting(account -> account.signers().size())
                .isEqualTo(2);
        assertThat(accounts.contains("three")).isFalse();
        assertThat(accounts.find("three")).isNull();
    }

    @Test
    void developmentAccountIsThereOnlyWhenAskedFor() {
        Accounts accounts = Accounts.parse(List.of("one=a2V5MQ=="));
        assertThat(accounts.contains(Accounts.DEVELOPMENT_ACCOUNT)).isFalse();
        assertThat(accounts.withDevelopmentAccount().names()).containsExactly("devstoreaccount1", "one");
        assertThat(Accounts.development().names()).containsExactly("devstoreaccount1");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"one", "=a2V5", "One=a2V5", "one=s3cr*t", "one=", "a b=a2V5", "one-secondary=a2V5", "-=a2V5"})
    void wrongLinesAreNamedWithoutTheirKey(String line) {
        assertThatThrownBy(() -> Accounts.parse(List.of("# comment", line)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("line 2")
                .hasMessageNotContainingAny("s3cr", "a2V5");
    }

    @Test
    void optionsSayHowAnAccountIsServed() {
        Accounts accounts = Accounts.parse(List.of(
                "one.state=disabled",
                "one=a2V5MQ==",
                "two=a2V5Mg==",
                "two.https = required",
                "two.keys=accepted",
                "three.keys=refused"));
        assertThat(accounts.find("one"))
                .extracting("disabled", "httpsRequired", "keysRefused")
                .containsExactly(true, false, false);
        assertThat(accounts.find("two"))
                .extracting("disabled", "httpsRequired", "keysRefused")
                .containsExactly(false, true, false);
        assertThat(accounts.find("three"))
                .extracting("disabled", "httpsRequired", "keysRefused")
                .containsExactly(false, false, true);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "one.state=off",
                "one.https=true",
                "one.keys=",
                "one.color=red",
                "one.=x",
                "two.https=required",
                "one.tokens=all",
                "two.tokens=any"
            })
    void wrongOptionsAreNamedByTheirLine(String line) {
        assertThatThrownBy(() -> Accounts.parse(List.of("one=a2V5", line)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("line 2")
                .hasMessageNotContaining("a2V5");
    }

    @Test
    void anAccountTakesItsOwnTokensAllOrNone() {
        Accounts accounts = Accounts.parse(List.of(
                "one=a2V5",
                "two=a2V5",
                "two.tokens=any",
                "three=a2V5",
                "three.tokens=refused",
                "four=a2V5",
                "four.tokens=own"));
        assertThat(List.of("one", "two", "three", "four"))
                .extracting(name -> Objects.requireNonNull(accounts.find(name)).tokens())
                .containsExactly(TokenScope.OWN, TokenScope.ANY, TokenScope.NONE, TokenScope.OWN);
    }

    @Test
    void anAccountThatRefusesEveryCredentialIsAMistake() {
        assertThatThrownBy(() -> Accounts.parse(List.of("one.keys=refused", "one.tokens=refused")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("line 1")
                .hasMessageContaining("state=disabled");
    }

    @Test
    @SuppressWarnings("ObjectToString") // That it says nothing is what is tested.
    void noTextShowsAKey() {
        Accounts accounts = Accounts.parse(List.of("one=a2V5MQ=="));
        assertThat(accounts.toString() + accounts.find("one")).doesNotContain("a2V5", "key1", "Signer");
    }
}
