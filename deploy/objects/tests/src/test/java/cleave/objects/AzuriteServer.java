package cleave.objects;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.chaos.load.Azurite;
import cleave.client.Endpoint;
import cleave.client.Request;
import cleave.client.SharedKey;
import cleave.deploy.backup.place.PlaceProvider.Options;
import java.io.Closeable;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import org.opentest4j.TestAbortedException;

/** Azurite's Blob service as a process, with one container. */
final class AzuriteServer implements Closeable {
    static final String CONTAINER = "backups";
    /** npm installs it there once. */
    private static final Path INSTALLED = Path.of("target/azurite").toAbsolutePath();

    private final Azurite azurite;

    private AzuriteServer(Azurite azurite) {
        this.azurite = azurite;
    }

    /** Aborts the test if there is no npm, or it cannot install Azurite. */
    static AzuriteServer start(Path data) throws Exception {
        try {
            Azurite.install(INSTALLED);
        } catch (IOException missing) {
            throw new TestAbortedException("without Azurite, which npm installs: " + missing.getMessage());
        }
        AzuriteServer server = new AzuriteServer(Azurite.start(Azurite.Service.BLOB, INSTALLED, data));
        server.createContainer();
        return server;
    }

    String endpoint() {
        return azurite.endpoint().url();
    }

    Options options() {
        return new Options(endpoint(), null, false, null);
    }

    private void createContainer() throws Exception {
        String path = "/" + Endpoint.DEVELOPMENT_ACCOUNT + "/" + CONTAINER;
        TreeMap<String, String> headers =
                new TreeMap<>(Map.of("x-ms-version", "2020-10-02", "x-ms-date", Request.date(Instant.now())));
        Map<String, String> proof = BlobCredential.ofKey(
                        new SharedKey(Endpoint.DEVELOPMENT_ACCOUNT, Endpoint.DEVELOPMENT_KEY))
                .headers(new BlobCredential.Unsigned(
                        "PUT", path, new TreeMap<>(Map.of("restype", "container")), headers, 0));
        HttpRequest.Builder request = HttpRequest.newBuilder(
                        URI.create(endpoint() + "/" + CONTAINER + "?restype=container"))
                .PUT(HttpRequest.BodyPublishers.noBody());
        headers.forEach(request::header);
        proof.forEach(request::header);
        HttpResponse<String> answer =
                HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);
    }

    @Override
    public void close() {
        azurite.close();
    }
}
