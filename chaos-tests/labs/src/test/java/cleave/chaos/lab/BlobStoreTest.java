package cleave.chaos.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.client.Endpoint;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Both blob stores do the same; the one over HTTP on a stand-in, which answers at most two names a page. */
class BlobStoreTest {
    private static final byte[] ONE = {1, 2, 3};
    private static final byte[] OTHER = {4};

    @TempDir
    private Path dir;

    private final TreeMap<String, byte[]> stored = new TreeMap<>();
    private final List<String> asked = new ArrayList<>();
    private HttpServer server;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/devstoreaccount1/lab-1", this::answer);
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private void answer(HttpExchange exchange) throws IOException {
        byte[] body = exchange.getRequestBody().readAllBytes();
        String name = exchange.getRequestURI().getPath().replaceFirst("^/devstoreaccount1/lab-1/?", "");
        String query = String.valueOf(exchange.getRequestURI().getQuery());
        asked.add(exchange.getRequestMethod() + " " + name + " "
                + exchange.getRequestHeaders().getFirst("x-ms-blob-type") + " "
                + exchange.getRequestHeaders().getFirst("Authorization"));
        byte[] found = stored.getOrDefault(name, new byte[0]);
        int status = 200;
        switch (exchange.getRequestMethod()) {
            case "PUT" -> {
                status = 201;
                if (!name.isEmpty()) {
                    stored.put(name, body);
                }
            }
            case "DELETE" -> {
                status = name.isEmpty() || stored.remove(name) != null ? 202 : 404;
                if (name.isEmpty()) {
                    stored.clear();
                }
            }
            default -> {
                if (name.isEmpty()) {
                    found = page(query).getBytes(StandardCharsets.UTF_8);
                } else {
                    status = stored.containsKey(name) ? 200 : 404;
                }
            }
        }
        exchange.sendResponseHeaders(status, found.length == 0 ? -1 : found.length);
        exchange.getResponseBody().write(found);
        exchange.close();
    }

    private String page(String query) {
        String prefix = query.replaceFirst(".*prefix=([^&]*).*", "$1");
        String marker = query.contains("marker=") ? query.replaceFirst(".*marker=([^&]*).*", "$1") : "";
        List<String> names = stored.keySet().stream()
                .filter(name -> name.startsWith(prefix) && name.compareTo(marker) >= 0)
                .toList();
        StringBuilder xml = new StringBuilder("<EnumerationResults><Blobs>");
        names.stream().limit(2).forEach(name -> xml.append("<Blob><Name>" + name + "</Name></Blob>"));
        return xml + "</Blobs><NextMarker>" + (names.size() > 2 ? names.get(2) : "")
                + "</NextMarker></EnumerationResults>";
    }

    private BlobStore overHttp() throws IOException {
        return HttpBlobs.create(Endpoint.development(server.getAddress().getPort()), "a stand-in", "lab-1");
    }

    private static void behaves(BlobStore blobs) throws IOException {
        assertThat(blobs.names("")).isEmpty();
        blobs.put("b/2", ONE);
        blobs.put("b/2", OTHER);
        blobs.put("a_1.jpg", ONE);
        blobs.put("b/1", ONE);
        blobs.put("c", ONE);

        assertThat(blobs.get("b/2")).isEqualTo(OTHER);
        assertThat(blobs.names("")).containsExactly("a_1.jpg", "b/1", "b/2", "c");
        assertThat(blobs.names("b/")).containsExactly("b/1", "b/2");

        blobs.delete("a_1.jpg");
        assertThatThrownBy(() -> blobs.get("a_1.jpg"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("a_1.jpg");
        assertThatThrownBy(() -> blobs.delete("a_1.jpg")).isInstanceOf(IOException.class);
        blobs.drop();
        assertThat(blobs.names("")).isEmpty();
    }

    @Test
    void aFolderIsABlobStore() throws IOException {
        try (BlobStores stores = BlobStores.inFolder(dir)) {
            behaves(stores.store("lab-1"));
        }
        assertThat(dir).isEmptyDirectory();
    }

    @Test
    void aContainerIsABlobStore() throws IOException {
        behaves(overHttp());

        assertThat(asked.get(0)).startsWith("PUT  null SharedKey devstoreaccount1:");
        assertThat(asked).anyMatch(request -> request.startsWith("PUT b/2 BlockBlob SharedKey devstoreaccount1:"));
    }

    /** The examples of the service's documentation, "Authorize with Shared Key". */
    @Test
    void whatIsSignedIsWhatTheServiceExpects() {
        TreeMap<String, String> headers = new TreeMap<>();
        headers.put("x-ms-version", "2015-02-21");
        headers.put("x-ms-date", "Fri, 26 Jun 2015 23:39:12 GMT");
        TreeMap<String, String> query = new TreeMap<>();
        query.put("restype", "container");
        query.put("comp", "metadata");
        query.put("timeout", "20");

        assertThat(HttpBlobs.toSign("GET", 0, "", headers, "/myaccount/mycontainer", query))
                .isEqualTo(
                        "GET\n\n\n\n\n\n\n\n\n\n\n\nx-ms-date:Fri, 26 Jun 2015 23:39:12 GMT\nx-ms-version:2015-02-21\n"
                                + "/myaccount/mycontainer\ncomp:metadata\nrestype:container\ntimeout:20");
        assertThat(HttpBlobs.toSign("PUT", 11, "text/plain", headers, "/a/b", new TreeMap<>()))
                .startsWith("PUT\n\n\n11\n\ntext/plain\n\n\n\n\n\n\nx-ms-date:");
    }

    @Test
    void withoutNpmAFolderServes() throws IOException {
        List<String> told = new ArrayList<>();
        Path noFolder = Files.createFile(dir.resolve("file"));
        try (BlobStores stores = BlobStores.inAzurite(dir.resolve("blobs"), noFolder, told::add)) {
            assertThat(stores.store("lab-1").kind()).isEqualTo("a folder");
            stores.store("lab-2");
        }
        assertThat(told).hasSize(2).last().asString().startsWith("without Azurite, a folder is the blob service: ");
    }
}
