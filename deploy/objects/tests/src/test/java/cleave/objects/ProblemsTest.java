package cleave.objects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.client.Endpoint;
import cleave.deploy.backup.place.PlaceProvider.Options;
import cleave.objects.StubServer.Answer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What stores say when they are full, deny something or cannot answer, and what is made of it. */
class ProblemsTest {
    @TempDir
    private Path dir;

    private static Answer s3(int status, String code) {
        return new Answer(
                status,
                Map.of("Content-Type", "application/xml"),
                "<Error><Code>" + code + "</Code><Message>m</Message></Error>");
    }

    private static Answer blob(int status, String code) {
        return new Answer(status, Map.of("x-ms-error-code", code), "");
    }

    private static ObjectStore blobs(StubServer server) {
        return BlobPlaces.store(
                Endpoint.DEVELOPMENT_ACCOUNT, "backups", new Options(server.url(), null, false, null), Map.of());
    }

    private ObjectStore bucket(StubServer server) throws Exception {
        return S3Places.store("backups", S3Server.options(dir, server.url(), "s"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "507|InsufficientStorage|REFUSED|the store is full",
                "403|QuotaExceeded|REFUSED|run the same command again, which continues",
                "403|AccessDenied|REFUSED|denies access to bucket backups: AccessDenied (403). A backup needs s3:ListBucket",
                "403|InvalidAccessKeyId|REFUSED|does not know the access key",
                "403|RequestTimeTooSkewed|REFUSED|the clock of this machine",
                "400|ExpiredToken|REFUSED|have expired",
                "400|AuthorizationHeaderMalformed|REFUSED|is in another region",
                "503|SlowDown|TRANSIENT|cannot answer now",
                "500|InternalError|TRANSIENT|cannot answer now",
                "501|NotImplemented|UNSUPPORTED|has no such operation",
                "400|Strange|REFUSED|refuses the request: Strange (400)"
            })
    void anAnswerOfS3IsExplained(int status, String code, StoreFailure.Kind kind, String text) throws Exception {
        try (StubServer server = new StubServer(number -> s3(status, code));
                ObjectStore store = bucket(server)) {
            assertThatThrownBy(() -> store.put("f", new byte[1]))
                    .isInstanceOfSatisfying(
                            StoreFailure.class,
                            failed -> assertThat(failed.kind()).isEqualTo(kind))
                    .hasMessageContaining(text);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "507|InsufficientStorage|REFUSED|the store is full",
                "409|AccountLimitExceeded|REFUSED|run the same command again, which continues",
                "403|AuthorizationPermissionMismatch|REFUSED|denies access to container backups",
                "403|AuthenticationFailed|REFUSED|does not accept the credentials",
                "503|ServerBusy|TRANSIENT|cannot answer now",
                "400|InvalidUri|REFUSED|refuses the request: InvalidUri (400)"
            })
    void anAnswerOfTheBlobServiceIsExplained(int status, String code, StoreFailure.Kind kind, String text)
            throws Exception {
        try (StubServer server = new StubServer(number -> blob(status, code));
                ObjectStore store = blobs(server)) {
            assertThatThrownBy(() -> store.put("f", new byte[1]))
                    .isInstanceOfSatisfying(
                            StoreFailure.class,
                            failed -> assertThat(failed.kind()).isEqualTo(kind))
                    .hasMessageContaining(text);
        }
    }

    @Test
    void whatMayPassIsAskedForAgainUntilPatienceEnds() throws Exception {
        try (StubServer server = new StubServer(number -> number < 3 ? blob(503, "ServerBusy") : blob(201, ""));
                ObjectStore store = blobs(server)) {
            new Retries(Duration.ofMinutes(1)).run(() -> store.put("f", new byte[1]));
            assertThat(server.asked()).hasSize(3);
        }
        try (StubServer server = new StubServer(number -> blob(503, "ServerBusy"));
                ObjectStore store = blobs(server)) {
            Retries retries = new Retries(Duration.ofMillis(1));
            assertThatThrownBy(() -> retries.run(() -> store.put("f", new byte[1])))
                    .hasMessageContaining("cannot answer now: ServerBusy (503) (asked ");
        }
    }

    /** The examples of the service's documentation, "Authorize with Shared Key". */
    @Test
    void whatIsSignedIsWhatTheBlobServiceExpects() {
        TreeMap<String, String> headers = new TreeMap<>();
        headers.put("x-ms-version", "2015-02-21");
        headers.put("x-ms-date", "Fri, 26 Jun 2015 23:39:12 GMT");
        TreeMap<String, String> query = new TreeMap<>();
        query.put("restype", "container");
        query.put("comp", "metadata");
        query.put("timeout", "20");
        assertThat(BlobCredential.textToSign(
                        new BlobCredential.Unsigned("GET", "/mycontainer", query, headers, 0), "myaccount"))
                .isEqualTo(
                        "GET\n\n\n\n\n\n\n\n\n\n\n\nx-ms-date:Fri, 26 Jun 2015 23:39:12 GMT\nx-ms-version:2015-02-21\n"
                                + "/myaccount/mycontainer\ncomp:metadata\nrestype:container\ntimeout:20");
        headers.put("content-type", "text/plain");
        headers.put("if-none-match", "*");
        assertThat(BlobCredential.textToSign(
                        new BlobCredential.Unsigned("PUT", "/a/b", new TreeMap<>(), headers, 11), "myaccount"))
                .startsWith("PUT\n\n\n11\n\ntext/plain\n\n\n\n*\n\n\nx-ms-date:");
    }

    @Test
    void aMachinesTokenIsFetchedOnce() throws Exception {
        try (StubServer server = new StubServer(number ->
                new Answer(200, Map.of(), "{\"access_token\":\"t" + number + "\",\"expires_in\":\"3599\",\"x\":{}}"))) {
            AzureToken token = new AzureToken(Map.of("AZURE_CLIENT_ID", "id 1"), server.url());
            assertThat(token.text()).isEqualTo("t1");
            assertThat(token.text()).isEqualTo("t1");
            assertThat(server.asked())
                    .containsExactly(
                            "GET /metadata/identity/oauth2/token?api-version=2018-02-01&resource=https%3A%2F%2Fstorage.azure.com%2F"
                                    + "&client_id=id%201\n");
        }
    }

    @Test
    void aPodsTokenIsExchangedAndRenewed() throws Exception {
        Path file = Files.writeString(dir.resolve("token"), "of the pod\n");
        try (StubServer server = new StubServer(
                number -> new Answer(200, Map.of(), "{\"expires_in\":60,\"access_token\":\"t" + number + "\"}"))) {
            AzureToken token = new AzureToken(Map.of(
                    "AZURE_FEDERATED_TOKEN_FILE",
                    file.toString(),
                    "AZURE_AUTHORITY_HOST",
                    server.url() + "/",
                    "AZURE_TENANT_ID",
                    "tenant",
                    "AZURE_CLIENT_ID",
                    "client"));
            assertThat(token.text()).isEqualTo("t1");
            assertThat(token.text()).as("one that ends soon is not used again").isEqualTo("t2");
            assertThat(server.asked().get(0))
                    .startsWith("POST /tenant/oauth2/v2.0/token\n")
                    .contains("client_assertion=of%20the%20pod", "client_id=client", "grant_type=client_credentials");
        }
    }

    @Test
    void withoutATokenItIsSaidWhatToGive() throws Exception {
        assertThatThrownBy(() -> new AzureToken(Map.of(), "http://127.0.0.1:1").text())
                .hasMessageContaining(
                        "no credentials are found: give --credentials FILE, AZURE_STORAGE_CONNECTION_STRING")
                .hasMessageContaining("the metadata service of this machine does not answer");
        try (StubServer server = new StubServer(number -> new Answer(400, Map.of(), "Identity not found"))) {
            assertThatThrownBy(() -> new AzureToken(Map.of(), server.url()).text())
                    .hasMessageContaining("gives no token for the identity: 400 Identity not found");
        }
    }
}
