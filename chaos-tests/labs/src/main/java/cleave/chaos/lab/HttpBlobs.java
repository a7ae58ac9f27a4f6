package cleave.chaos.lab;

import cleave.client.Answer;
import cleave.client.Connection;
import cleave.client.Endpoint;
import cleave.client.Request;
import cleave.client.Requests;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Block blobs in a container of Azure's Blob service, or of an emulator, signed with the account's key. Confined to its run. */
final class HttpBlobs implements BlobStore {
    private static final String VERSION = "2019-02-02";
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String CONTENT_TYPE = "application/octet-stream";
    private static final Pattern NAME = Pattern.compile("<Name>([^<]*)</Name>");
    private static final Pattern NEXT = Pattern.compile("<NextMarker>([^<]+)</NextMarker>");

    private final Endpoint endpoint;
    private final String kind;
    private final String container;

    private HttpBlobs(Endpoint endpoint, String kind, String container) {
        this.endpoint = endpoint;
        this.kind = kind;
        this.container = endpoint.prefix() + "/" + container;
    }

    /**
     * Creates a container.
     *
     * @param endpoint of the Blob service, with the key of an account
     * @param kind what the service is
     * @param container a name of lower-case letters, digits and single hyphens, which no other has
     */
    static HttpBlobs create(Endpoint endpoint, String kind, String container) throws IOException {
        HttpBlobs blobs = new HttpBlobs(endpoint, kind, container);
        blobs.exchange("PUT", blobs.container, Map.of("restype", "container"), new byte[0]);
        return blobs;
    }

    @Override
    public String kind() {
        return kind;
    }

    @Override
    public void put(String name, byte[] bytes) throws IOException {
        exchange("PUT", path(name), Map.of(), bytes);
    }

    @Override
    public byte[] get(String name) throws IOException {
        return exchange("GET", path(name), Map.of(), new byte[0]);
    }

    @Override
    public void delete(String name) throws IOException {
        exchange("DELETE", path(name), Map.of(), new byte[0]);
    }

    private String path(String name) {
        return container + "/" + Requests.encode(name).replace("%2F", "/");
    }

    @Override
    public List<String> names(String prefix) throws IOException {
        List<String> names = new ArrayList<>();
        Map<String, String> query = new TreeMap<>(Map.of("restype", "container", "comp", "list", "prefix", prefix));
        boolean isMore = true;
        while (isMore) {
            String page = new String(exchange("GET", container, query, new byte[0]), StandardCharsets.UTF_8);
            NAME.matcher(page).results().forEach(found -> names.add(found.group(1)));
            Matcher next = NEXT.matcher(page);
            isMore = next.find();
            if (isMore) {
                query.put("marker", next.group(1));
            }
        }
        return names;
    }

    @Override
    public void drop() throws IOException {
        exchange("DELETE", container, Map.of("restype", "container"), new byte[0]);
    }

    /** The body of the answer, which must be a success. */
    private byte[] exchange(String method, String path, Map<String, String> query, byte[] body) throws IOException {
        String target = path
                + (query.isEmpty() ? "" : "?")
                + query.entrySet().stream()
                        .map(each -> Requests.option(each.getKey(), each.getValue()))
                        .collect(Collectors.joining("&"));
        TreeMap<String, String> signed =
                new TreeMap<>(Map.of("x-ms-date", Request.date(Instant.now()), "x-ms-version", VERSION));
        Request request = Request.of(method, target);
        String type = "";
        if (body.length > 0) {
            type = CONTENT_TYPE;
            request = request.body(type, body);
            signed.put("x-ms-blob-type", "BlockBlob");
        }
        for (Map.Entry<String, String> header : signed.entrySet()) {
            request = request.with(header.getKey(), header.getValue());
        }
        String account = endpoint.credential().account();
        String text = toSign(method, body.length, type, signed, "/" + account + path, new TreeMap<>(query));
        String signature = "SharedKey " + account + ":" + endpoint.sharedKey().signature(text);
        try (Connection connection = Connection.open(endpoint, PATIENCE)) {
            Answer answer = connection.exchange(request.with("Authorization", signature));
            if (!answer.isSuccess()) {
                throw new IOException(
                        method + " " + target + " was answered with " + answer.status() + ": " + answer.text());
            }
            return answer.body();
        }
    }

    /**
     * The text that is signed, as the Blob service wants it.
     *
     * @param length of the body
     * @param type of the body; empty if there is none
     * @param headers those whose names begin with {@code x-ms-}; the others are not sent
     * @param resource the account and the path
     */
    static String toSign(
            String method,
            int length,
            String type,
            SortedMap<String, String> headers,
            String resource,
            SortedMap<String, String> query) {
        String size = length == 0 ? "" : Integer.toString(length);
        StringBuilder text =
                new StringBuilder(String.join("\n", method, "", "", size, "", type, "", "", "", "", "", "", ""));
        headers.forEach(
                (name, value) -> text.append(name).append(':').append(value).append('\n'));
        text.append(resource);
        query.forEach(
                (name, value) -> text.append('\n').append(name).append(':').append(value));
        return text.toString();
    }
}
