package cleave.chaos.conformance;

import static cleave.chaos.conformance.JavaSdk.entity;
import static org.assertj.core.api.Assertions.assertThat;

import cleave.client.Endpoint;
import cleave.deploy.Cleave;
import com.azure.data.tables.TableClient;
import com.azure.data.tables.TableServiceClient;
import com.azure.data.tables.models.TableAccessPolicy;
import com.azure.data.tables.models.TableSignedIdentifier;
import com.azure.data.tables.sas.TableSasPermission;
import com.azure.data.tables.sas.TableSasSignatureValues;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The service and the SDK accept the signatures that {@code cleave sas} makes, and its explanations match the service's answers. */
abstract class SasCommandContract {
    private static final Pattern REFUSAL = Pattern.compile("The service refuses it: (\\d+ \\w+)");
    private static final String ACCEPTED = "200 ";

    private final Endpoint endpoint;
    private final JavaSdk sdk;
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final OffsetDateTime now = OffsetDateTime.now(ZoneOffset.UTC);
    private TableClient table;
    private Path connectionFile;

    SasCommandContract(Endpoint endpoint) {
        this.endpoint = endpoint;
        sdk = JavaSdk.of(endpoint);
    }

    @BeforeEach
    void fillTable(@TempDir Path dir) throws IOException {
        connectionFile = Files.writeString(dir.resolve("connection.txt"), endpoint.connectionString());
        table = sdk.newTable();
        table.createEntity(entity("a", "1"));
        table.createEntity(entity("b", "1"));
    }

    /** Runs the command and returns what it prints. */
    private String sas(int status, String... arguments) {
        List<String> all = new ArrayList<>(List.of("sas"));
        all.addAll(List.of(arguments));
        all.addAll(List.of("--connection-file", connectionFile.toString()));
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        CommandLine line = Cleave.commandLine();
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(err, true));
        assertThat(line.execute(all.toArray(String[]::new)))
                .as("%s%s", out, err)
                .isEqualTo(status);
        return status == 2 ? err.toString() : out.toString().strip();
    }

    private TableServiceClient by(String connectionString) {
        return JavaSdk.builder(endpoint).connectionString(connectionString).buildClient();
    }

    private static List<String> keys(TableClient of) {
        return of.listEntities().stream()
                .map(entity -> entity.getPartitionKey() + entity.getRowKey())
                .toList();
    }

    @Test
    void theSdkAcceptsATablesConnectionString() {
        TableClient client = by(sas(
                        0,
                        "table",
                        table.getTableName(),
                        "--permissions",
                        "dar",
                        "--expiry",
                        "1h",
                        "--start-partition",
                        "b",
                        "--print",
                        "connection-string"))
                .getTableClient(table.getTableName());

        client.createEntity(entity("c", "1"));
        client.deleteEntity("b", "1");
        assertThat(keys(client)).containsExactly("c1");
        assertThat(keys(table)).containsExactly("a1", "c1");
    }

    @Test
    void theSdkAcceptsAnAccountsConnectionString() {
        TableServiceClient client = by(sas(
                0,
                "account",
                "--resource-types",
                "oc",
                "--permissions",
                "ucaldr",
                "--expiry",
                "1h",
                "--print",
                "connection-string"));
        String name = JavaSdk.newTableName();

        client.createTable(name);
        client.getTableClient(name).upsertEntity(entity("p", "r"));
        assertThat(keys(client.getTableClient(name))).containsExactly("pr");
        client.deleteTable(name);
    }

    @Test
    void theUrlIsOneThatAnyClientCanGet() throws IOException, InterruptedException {
        String url = sas(0, "table", table.getTableName(), "--permissions", "r", "--expiry", "1h", "--print", "url");

        assertThat(answer(url)).isEqualTo(ACCEPTED);
        assertThat(explained(url)).isEqualTo(ACCEPTED);
    }

    /** The status and, of a refusal, the code. */
    private String answer(String url) throws IOException, InterruptedException {
        HttpResponse<Void> answer = http.send(
                HttpRequest.newBuilder(URI.create(url))
                        .header("Accept", "application/json")
                        .GET()
                        .build(),
                BodyHandlers.discarding());
        return answer.statusCode() + " "
                + answer.headers().firstValue("x-ms-error-code").orElse("");
    }

    private String explained(String url) throws IOException, InterruptedException {
        String text = sas(
                answer(url).equals(ACCEPTED) ? 0 : 1, "explain", url, "--operation", "query", "--from", "127.0.0.1");
        Matcher refusal = REFUSAL.matcher(text);
        return refusal.find() ? refusal.group(1) : ACCEPTED;
    }

    private String entityUrl(String token) {
        return endpoint.url() + "/" + table.getTableName() + "(PartitionKey='b',RowKey='1')?" + token;
    }

    private String token(String... options) {
        List<String> all = new ArrayList<>(List.of("table", table.getTableName(), "--print", "token"));
        all.addAll(List.of(options));
        if (!all.contains("--policy")) {
            all.addAll(List.of("--expiry", "1h"));
        }
        return sas(0, all.toArray(String[]::new));
    }

    private TableSasSignatureValues read(OffsetDateTime expiry) {
        return new TableSasSignatureValues(expiry, TableSasPermission.parse("r"));
    }

    @Test
    void theServiceRefusesWhatIsExplainedAsRefused() throws IOException, InterruptedException {
        String good = token("--permissions", "r");
        TableClient other = sdk.newTable();
        List<String> urls = List.of(
                entityUrl(good),
                entityUrl(good.replace("sp=r", "sp=raud")),
                entityUrl(good.replace("sv=2019-02-02", "sv=2011-08-18")),
                entityUrl(good + "&ss=t"),
                entityUrl(good + "&sp=r"),
                endpoint.url() + "/" + other.getTableName() + "()?" + good,
                entityUrl(token("--permissions", "aud")),
                entityUrl(token("--permissions", "r", "--end-partition", "a")),
                entityUrl(token("--permissions", "r", "--ip", "192.0.2.1-192.0.2.9")),
                entityUrl(token("--permissions", "r", "--protocol", "https")),
                entityUrl(token("--permissions", "r", "--start", "30m")),
                entityUrl(table.generateSas(read(now.minusHours(1)))),
                entityUrl(table.generateSas(read(now.plusHours(1)).setStartTime(now.plusMinutes(30)))),
                entityUrl(table.generateSas(read(now.plusHours(1)))));
        List<String> answers = new ArrayList<>();
        for (String url : urls) {
            answers.add(answer(url));
            assertThat(explained(url)).as(url).isEqualTo(answers.get(answers.size() - 1));
        }
        assertThat(answers)
                .contains(
                        ACCEPTED,
                        "403 AuthenticationFailed",
                        "403 AuthorizationFailure",
                        "403 AuthorizationPermissionMismatch",
                        "403 AuthorizationSourceIPMismatch",
                        "404 ResourceNotFound",
                        "400 InvalidQueryParameterValue");
    }

    @Test
    void policiesAreAskedFor() throws IOException, InterruptedException {
        table.setAccessPolicies(List.of(new TableSignedIdentifier("readers")
                .setAccessPolicy(
                        new TableAccessPolicy().setExpiresOn(now.plusHours(1)).setPermissions("r"))));
        String url = entityUrl(token("--policy", "readers", "--ask"));

        assertThat(answer(url)).isEqualTo(ACCEPTED);
        assertThat(sas(0, "explain", url, "--ask", "--operation", "query")).contains("insert     no");
        assertThat(sas(1, "explain", url, "--ask", "--operation", "insert"))
                .contains("AuthorizationPermissionMismatch");
        String name = table.getTableName();
        assertThat(sas(2, "table", name, "--policy", "readers", "--permissions", "r", "--ask"))
                .contains("a field is given in the signature and in its stored access policy");
        assertThat(sas(2, "table", name, "--policy", "writers", "--ask")).contains("no stored access policy of the id");
        String other = entityUrl(token("--policy", "writers"));
        assertThat(answer(other)).isEqualTo("403 AuthenticationFailed");
        assertThat(sas(1, "explain", other, "--ask")).contains("refuses it: 403 AuthenticationFailed");
    }
}
