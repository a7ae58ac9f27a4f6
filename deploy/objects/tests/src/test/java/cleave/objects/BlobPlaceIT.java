package cleave.objects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.client.Endpoint;
import cleave.deploy.CommandFailure;
import cleave.deploy.ExitCode;
import cleave.deploy.backup.place.BackupPlace;
import cleave.deploy.backup.place.PlaceProvider.Options;
import cleave.deploy.backup.place.Places;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Places in the Blob service, on Azurite; skipped where npm cannot install it. */
@Tag("nightly")
class BlobPlaceIT extends PlaceContract {
    private static final String ACCOUNT = Endpoint.DEVELOPMENT_ACCOUNT;

    @TempDir
    private static Path data;

    private static AzuriteServer server;

    @TempDir
    private Path dir;

    @BeforeAll
    static void start() throws Exception {
        server = AzuriteServer.start(data);
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.close();
        }
    }

    @Override
    ObjectStore store() {
        return BlobPlaces.store(ACCOUNT, AzuriteServer.CONTAINER, server.options(), Map.of());
    }

    private static CommandFailure failure(String url, Options options) {
        try (BackupPlace place = Places.open(url, options)) {
            return place.failure(Assertions.catchThrowableOfType(IOException.class, place::top));
        }
    }

    private Options connection(String text) throws IOException {
        return new Options(null, null, false, Files.writeString(Files.createTempFile(dir, "connection", ""), text));
    }

    @Test
    void itsUrlNamesTheAccountTheContainerAndThePrefix() throws Exception {
        try (BackupPlace place = Places.open("azblob://" + ACCOUNT + "/backups/c/1/", server.options())) {
            assertThat(place).hasToString("azblob://" + ACCOUNT + "/backups/c/1");
            place.put("index-1", new byte[1]);
        }
        String connection = "AccountName=" + ACCOUNT + ";AccountKey=" + Endpoint.DEVELOPMENT_KEY + ";BlobEndpoint="
                + server.endpoint() + ";";
        try (BackupPlace place = Places.open("azblob://" + ACCOUNT + "/backups/c", connection(connection))) {
            assertThat(place.top()).containsExactly("1");
        }
        assertThatThrownBy(() -> Places.open("azblob://account", Options.NONE))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("is not of the form azblob://ACCOUNT/CONTAINER/PREFIX: something is missing");
        assertThatThrownBy(() -> Places.open("azblob://other/backups/c", connection(connection)))
                .hasMessageContaining("is of account " + ACCOUNT + ", but the URL names account other");
    }

    @Test
    void aContainerThatDoesNotExistIsNamed() {
        assertThat(failure("azblob://" + ACCOUNT + "/nothing-here/c", server.options()))
                .hasMessageContaining("there is no container nothing-here at " + server.endpoint()
                        + ": ContainerNotFound (404). Create it");
    }

    @Test
    void wrongCredentialsAreNamed() throws Exception {
        String wrong = "AccountName=" + ACCOUNT + ";AccountKey=d3Jvbmc=;BlobEndpoint=" + server.endpoint();
        assertThat(failure("azblob://" + ACCOUNT + "/backups/c", connection(wrong)))
                .hasMessageContaining("(403)")
                .hasMessageContaining(server.endpoint());
        assertThatThrownBy(() -> connected("AccountName=x"))
                .hasMessageContaining("it holds no connection string with AccountKey or SharedAccessSignature");
        assertThatThrownBy(() ->
                        Places.open("azblob://account/backups/c", new Options("http://127.0.0.1:1", null, false, null)))
                .hasMessageContaining("no key and no signature is given for http://127.0.0.1:1/account");
    }

    private void connected(String text) throws IOException {
        Places.open("azblob://" + ACCOUNT + "/backups/c", connection(text)).close();
    }

    @Test
    void anAddressWhereNobodyIsIsReportedAtOnce() {
        assertThat(failure(
                        "azblob://" + ACCOUNT + "/backups/c",
                        new Options("http://nowhere.invalid:10000", null, false, null)))
                .hasMessageContaining("the name nowhere.invalid does not resolve")
                .satisfies(failed -> assertThat(failed.exitCode()).isEqualTo(ExitCode.UNREACHABLE));
        assertThat(failure("azblob://" + ACCOUNT + "/backups/c", new Options("http://127.0.0.1:1", null, false, null)))
                .hasMessageContaining("nobody answers at http://127.0.0.1:1/" + ACCOUNT);
    }
}
