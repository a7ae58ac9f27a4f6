package cleave.deploy.sas;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.deploy.ExitCode;
import cleave.deploy.Golden;
import cleave.deploy.TestTerminal;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class SasCommandTest {
    private static final String TIMES = " --start 2098-01-01T08:00:00Z --expiry 2099-01-01";
    private static final String KEY = "a2V5IG9mIGFscGhh";

    private final TestTerminal terminal = new TestTerminal();

    @TempDir
    private Path dir;

    /** Runs the command; the arguments are separated by single blanks. */
    private int run(String arguments, String... more) {
        List<String> all = new ArrayList<>(List.of("sas"));
        all.addAll(List.of(arguments.trim().split(" ")));
        all.addAll(List.of(more));
        return terminal.run(all.toArray(String[]::new));
    }

    private String printed(String arguments, String... more) {
        assertThat(run(arguments, more)).as(terminal::err).isEqualTo(ExitCode.OK);
        return terminal.out();
    }

    private String refused(String arguments, String... more) {
        assertThat(run(arguments, more)).as(terminal::err).isEqualTo(ExitCode.FAILED);
        return terminal.out();
    }

    private String made(String arguments) {
        return printed(arguments + " --print url").strip();
    }

    /** The signatures in the file were compared with those of another HMAC-SHA256, over the strings to sign that the file shows. */
    @Test
    void whatIsMadeAndExplainedIsAsReviewed() throws IOException {
        String table = "table Orders --permissions dra" + TIMES + " --ip 10.0.0.1-10.0.0.9 --protocol https"
                + " --start-partition a --start-row 1 --end-partition c";
        String account = "account --resource-types oc --permissions urcl" + TIMES;
        String atNoon = "2098-07-01T12:00:00Z";

        Golden.check(
                "sas.txt",
                printed(table)
                        + "\n"
                        + refused("explain --at " + atNoon, made(table))
                        + "\n"
                        + printed(account)
                        + "\n"
                        + printed("explain --at " + atNoon, made(account))
                        + "\n"
                        + refused(
                                "explain --at 2099-01-02 --operation update --table Customers --partition d --row 1"
                                        + " --protocol https --from 10.1.0.1",
                                made(table)));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "table Orders --expiry 1h | --permissions and --expiry are needed, unless a --policy defines them",
                "table Orders --permissions r | --permissions and --expiry are needed, unless a --policy defines them",
                "account --resource-types o --permissions r | --expiry is needed",
                "account --permissions r --expiry 1h | --resource-types",
                "table Orders --permissions rw --expiry 1h | --permissions is 'rw' but must be letters of r (query), a (insert)",
                "account --resource-types x --permissions r --expiry 1h | --resource-types is 'x' but must be letters of s (service)",
                "account --resource-types o --permissions l --expiry 1h | it would permit no operation",
                "table Orders --permissions r --expiry 2020-01-01 | --expiry, 2020-01-01T00:00:00Z, is in the past",
                "table Orders --permissions r --start 2099-01-02 --expiry 2099-01-01 | --expiry, 2099-01-01T00:00:00Z, must be after",
                "table Orders --permissions r --expiry soon | --expiry is 'soon' but must be a time in UTC",
                "table Orders --permissions r --expiry 1h --start-partition b --end-partition a | the end of the keys is before their start",
                "table Orders --permissions r --expiry 1h --start-partition a --start-row 2 --end-partition a --end-row 1"
                        + " | the end of the keys is before their start",
                "table Orders --permissions r --expiry 1h --start-row 2 | --start-row needs --start-partition",
                "table Orders --permissions r --expiry 1h --ip 10.0.0.9-10.0.0.1 | sip is neither an IPv4 address nor a range",
                "table Orders --permissions r --expiry 1h --ip example.net | sip is neither an IPv4 address nor a range",
                "table Orders --permissions r --expiry 1h --protocol http | --protocol is 'http' but must be https or https,http",
                "table Orders --permissions r --expiry 1h --service-version 2010-01-01 | sv is no version from 2012-02-12 on",
                "account --resource-types o --permissions r --expiry 1h --service-version 2014-02-14"
                        + " | signatures of accounts begin with sv 2015-04-05",
                "table 9 --permissions r --expiry 1h | no table can be named '9'",
                "table Orders --permissions r --expiry 1h --ask | --ask belongs to --policy",
                "table Orders --permissions r --expiry 1h --print json | --print is 'json' but must be",
                "table Orders --permissions r --expiry 1h --account alpha | --account and --key-file belong together",
                "table Orders --permissions r --expiry 1h --endpoint http://h | --endpoint belongs to --account",
                "table Orders --permissions r --expiry 1h --account a --key-file /no --dir /no | exclude one another",
                "table Orders --permissions r --expiry 1h --account a --key-file /no/such | there is no file /no/such",
                "table Orders --permissions r --expiry 1h --connection-file /no/such | there is no file /no/such",
                "table Orders --permissions r --expiry 1h --connection-file /no/such --dir /no | exclude one another",
                "table Orders --permissions r --expiry 1h --connection-string AccountName=a;AccountKey=a2V5 | unknown option",
                "explain hello | this is no shared access signature",
                "explain http://127.0.0.1:10002/devstoreaccount1/Orders | this is no shared access signature",
                "explain http://127.0.0.1:10002/devstoreaccount1/Orders(?sv=1&sig=x | the service cannot read this address",
                "explain sv=2019-02-02&sig=x --operation read | --operation is 'read' but must be one of query, insert",
                "explain sv=2019-02-02&sig=x --partition a | --partition and --row belong together",
                "explain sv=2019-02-02&sig=x --protocol ftp | --protocol is 'ftp'",
                "explain sv=2019-02-02&sig=x --ask | --ask needs a table"
            })
    void whatIsWrongIsSaidAndNothingIsMade(String arguments, String message) {
        assertThat(run(arguments)).isEqualTo(ExitCode.USAGE);
        assertThat(terminal.err()).contains(message.trim());
        assertThat(terminal.out()).isEmpty();
    }

    @Test
    void aPolicyMayDefineAllAndIsNamed() {
        String url = made("table Orders --policy readers");

        assertThat(url).contains("si=readers").doesNotContain("sp=").doesNotContain("se=");
        assertThat(printed("explain", url)).contains("stored access policy 'readers'", "The service accepts it");
    }

    @Test
    void scriptsGetOneFormAlone() {
        String table = "table Orders --permissions r" + TIMES;
        String token = printed(table + " --print token").strip();

        assertThat(token).startsWith("tn=Orders&sv=2019-02-02&").contains("&sig=");
        assertThat(made(table)).isEqualTo("http://127.0.0.1:10002/devstoreaccount1/Orders?" + token);
        assertThat(printed(table + " --print connection-string").strip())
                .isEqualTo("TableEndpoint=http://127.0.0.1:10002/devstoreaccount1;SharedAccessSignature=" + token);
    }

    @Test
    void aSignatureForHttpsAtAnHttpEndpointIsMadeWithAWarning() {
        printed("table Orders --permissions r --expiry 1h --protocol https,http");
        assertThat(terminal.err()).isEmpty();
        assertThat(made("table Orders --permissions r --expiry 1h --protocol https"))
                .contains("spr=https&");
        assertThat(terminal.err()).contains("is http, and the signature permits https alone");
    }

    @Test
    void aTokenAUrlAndAConnectionStringAreExplainedAlike() {
        String table = "table Orders --permissions r" + TIMES;
        String explain = "explain --at 2098-07-01 --protocol http --operation query";
        String explained = printed(explain, made(table));

        assertThat(explained).contains("signature: right");
        assertThat(printed(explain, printed(table + " --print token").strip())).isEqualTo(explained);
        assertThat(printed(
                        explain, printed(table + " --print connection-string").strip()))
                .isEqualTo(explained);
    }

    private Path file(String name, String text) throws IOException {
        return Files.writeString(dir.resolve(name), text);
    }

    /** The second key of the account is one that a front end accepts, too. */
    @Test
    void aKeyIsReadFromAFileOfItsOwnOrFromAnAccountsFile() throws IOException {
        Path key = file("alpha.key", KEY + "\n");
        Path accounts = file("accounts", "# both\nbeta=b3RoZXI=\nalpha=b3RoZXI=\nalpha=" + KEY + "\n");
        Path others = file("others", "beta=b3RoZXI=\ngamma=b3RoZXI=\n");
        Path closed = file("closed", "alpha=" + KEY + "\nalpha.keys=refused\n");
        String table = "table Orders --permissions r --expiry 1h --account alpha --endpoint https://h:1 --key-file ";
        String url = made(table + key);

        assertThat(url).startsWith("https://h:1/alpha/Orders?");
        assertThat(made(table + accounts)).startsWith("https://h:1/alpha/Orders?");
        assertThat(printed("explain --account alpha --key-file " + accounts, url))
                .contains("signature: right");
        assertThat(run(table + others)).isEqualTo(ExitCode.USAGE);
        assertThat(terminal.err()).contains("alpha=KEY").doesNotContain("b3RoZXI");
        assertThat(run(table + closed)).isEqualTo(ExitCode.USAGE);
        assertThat(terminal.err())
                .contains("KeyBasedAuthenticationNotPermitted")
                .doesNotContain(KEY);
        assertThat(run(table + file("torn", "x!y"))).isEqualTo(ExitCode.USAGE);
        assertThat(terminal.err()).contains("not base64").doesNotContain("x!y");
    }

    @Test
    void anotherAccountsSignatureIsNotCheckedWithoutItsKey() throws IOException {
        Path key = file("alpha.key", KEY);
        String url = made("table Orders --permissions r --expiry 1h --account alpha --key-file " + key);

        assertThat(printed("explain", url))
                .contains("not checked, since the key of account alpha is not given", "if the signature is right");
        assertThat(run("explain --account beta --key-file " + key, url)).isEqualTo(ExitCode.USAGE);
        assertThat(terminal.err()).contains("the URL is of account alpha, the key of account beta");
    }

    @Test
    void theEnvironmentNamesTheAccountAndStandardInputTheSignature() {
        String connection = "AccountName=alpha;AccountKey=" + KEY + ";TableEndpoint=https://alpha.table.example.net/";
        Map<String, String> environment = Map.of("CLEAVE_CONNECTION_STRING", connection);
        CommandLine table = SasCommand.make(environment, new ByteArrayInputStream(new byte[0]));
        assertThat(terminal.run(table, "table", "Orders", "--permissions", "r", "--expiry", "1h", "--print", "url"))
                .isZero();
        String url = terminal.out();
        assertThat(url).startsWith("https://alpha.table.example.net/Orders?");

        CommandLine explain =
                SasCommand.make(environment, new ByteArrayInputStream(url.getBytes(StandardCharsets.UTF_8)));
        assertThat(terminal.run(explain, "explain", "-")).isZero();
        assertThat(terminal.out()).contains("account: alpha", "signature: right");
    }

    @Test
    void aFileHoldsTheConnectionString() throws IOException {
        Path file =
                file("alpha.txt", "AccountName=alpha;AccountKey=" + KEY + ";TableEndpoint=https://a.example.net/\n");
        Path torn = file("torn.txt", "AccountName=alpha");

        assertThat(made("table Orders --permissions r --expiry 1h --connection-file " + file))
                .startsWith("https://a.example.net/Orders?");
        assertThat(run("table Orders --permissions r --expiry 1h --connection-file " + torn))
                .isEqualTo(ExitCode.USAGE);
        assertThat(terminal.err()).contains(torn + ": the connection string has neither AccountName and AccountKey");
    }

    /** Signing with another account's key instead would be worse than an error; explaining needs no key. */
    @Test
    void aSignatureInTheEnvironmentSignsNothing() {
        String url = made("table Orders --permissions r" + TIMES);
        Map<String, String> environment = Map.of("CLEAVE_CONNECTION_STRING", url);
        CommandLine table = SasCommand.make(environment, new ByteArrayInputStream(new byte[0]));
        CommandLine explain = SasCommand.make(environment, new ByteArrayInputStream(new byte[0]));

        assertThat(terminal.run(table, "table", "Orders", "--permissions", "r", "--expiry", "1h"))
                .isNotZero();
        assertThat(terminal.err())
                .contains(
                        "CLEAVE_CONNECTION_STRING: it holds a shared access signature, but an account's key is needed")
                .doesNotContain("sig=");
        assertThat(terminal.run(explain, "explain", "--at", "2098-07-01", url)).isZero();
        assertThat(terminal.out()).contains("signature: right");
    }

    @Test
    void allReasonsAreNamedAndTheFirstIsTheAnswer() {
        String url = made("table Orders --permissions r" + TIMES + " --protocol https --start-partition b");
        String explained = refused(
                "explain --protocol http --operation delete --table Other --partition a --row 1 --at 2100-01-01",
                url.replace("sp=r", "sp=ra"));

        assertThat(explained)
                .contains(
                        "WRONG",
                        "The service refuses it: 403 AuthenticationFailed: the signature matches none of the account's keys.",
                        "Besides: 403 AuthenticationFailed: the signature has expired.",
                        "Besides: 403 AuthorizationProtocolMismatch: spr is https, the request came over http.",
                        "Besides: 403 AuthorizationFailure: tn is orders, the request is for another table.",
                        "Besides: 403 AuthorizationFailure: the entity is not within the keys");
        assertThat(refused("explain --operation delete --at 2098-07-01 --protocol https", url))
                .contains("The service refuses it: 403 AuthorizationPermissionMismatch: sp is r, but must contain d.");
    }

    @Test
    void theKeysAndTheTableAreThoseOfTheUrl() {
        String token = printed("table Orders --permissions r" + TIMES + " --end-partition b --print token")
                .strip();
        String base = "http://127.0.0.1:10002/devstoreaccount1/Orders(PartitionKey='";

        printed("explain --at 2098-07-01", base + "b',RowKey='1')?" + token);
        assertThat(refused("explain --at 2098-07-01", base + "c',RowKey='1')?" + token))
                .contains("404 ResourceNotFound: the entity is not within the keys");
    }

    @Test
    void oddFieldsAreShownAndNothingWorse() {
        assertThat(refused("explain", "sv=2019-02-02&tn=a&tn=b&sig=x")).contains("(given twice)", "400");
        assertThat(refused("explain", "sv=2019-02-02&ss=t&srt=o&sp=rq&se=never&sig=x&skoid=1&$top=1"))
                .contains(
                        "q (no effect on tables)",
                        "not a date and time",
                        "of signatures for blobs",
                        "not of a signature");
        assertThat(refused("explain", "sv=2019-02-02&sig=%1B%5B2J%0A"))
                .contains("FIELD")
                .doesNotContain("\u001b");
        assertThat(refused("explain", "sv=2019-02-02&tn=%1B%5B2J%0Ax&sp=r&se=2099-01-01&sig=AAAA"))
                .contains("\\u001b[2J\\nx")
                .doesNotContain("\u001b");
    }

    /** A signature must not lie in a terminal's or a script's log longer than it has to. */
    @Test
    void explanationsDoNotRepeatTheSignature() {
        String url = made("table Orders --permissions r" + TIMES);
        String signature = url.substring(url.indexOf("&sig=") + 5, url.indexOf("&sig=") + 25);

        assertThat(printed("explain --at 2098-07-01", url)).doesNotContain(signature);
    }
}
