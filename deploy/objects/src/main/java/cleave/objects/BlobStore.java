package cleave.objects;

import cleave.client.Request;
import cleave.client.Requests;
import cleave.objects.StoreFailure.Kind;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A container of Azure's Blob service, whose objects are block blobs, by the JDK's HTTP client. Thread-safe.
 *
 * <p>Nine requests of a protocol that is versioned and does not change: the library for it would bring the data binding that Cleave does without.
 */
final class BlobStore implements ObjectStore {
    private static final String VERSION = "2020-10-02";
    private static final String TYPE = "application/octet-stream";
    private static final Duration CONNECT = Duration.ofSeconds(10);
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final int NOT_FOUND = 404;
    private static final int CONFLICT = 409;
    private static final int PRECONDITION_FAILED = 412;

    private final URI account;
    private final String path;
    private final BlobCredential credential;
    private final BlobProblems problems;
    private final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(CONNECT)
            .build();

    /** @param account the address of the account */
    BlobStore(URI account, String container, BlobCredential credential) {
        this.account = account;
        this.path = account.getRawPath() + "/" + container;
        this.credential = credential;
        this.problems = new BlobProblems(container, account.toString());
    }

    /** A request, not yet signed. Immutable. */
    private record Asked(
            String method,
            String path,
            SortedMap<String, String> query,
            SortedMap<String, String> headers,
            Body body) {}

    /** The first bytes of an array. */
    private static final class Body {
        static final Body NONE = new Body(new byte[0], 0);

        private final byte[] bytes;
        private final int length;

        Body(byte[] bytes, int length) {
            this.bytes = bytes;
            this.length = length;
        }

        static Body of(byte[] bytes) {
            return new Body(bytes, bytes.length);
        }
    }

    private Asked blob(String method, String name, Map<String, String> query, Map<String, String> headers, Body body) {
        return new Asked(
                method,
                path + "/" + Requests.encode(name).replace("%2F", "/"),
                new TreeMap<>(query),
                new TreeMap<>(headers),
                body);
    }

    private HttpResponse<byte[]> send(Asked asked) throws StoreFailure {
        asked.headers().put("x-ms-version", VERSION);
        asked.headers().put("x-ms-date", Request.date(Instant.now()));
        BlobCredential.Unsigned unsigned = new BlobCredential.Unsigned(
                asked.method(), asked.path(), asked.query(), asked.headers(), asked.body().length);
        Map<String, String> proof = credential.headers(unsigned);
        String query = asked.query().entrySet().stream()
                .map(each -> Requests.option(each.getKey(), each.getValue()))
                .collect(Collectors.joining("&"));
        if (!credential.query().isEmpty()) {
            query = query.isEmpty() ? credential.query() : query + "&" + credential.query();
        }
        URI uri = URI.create(account.getScheme() + "://" + account.getRawAuthority() + asked.path()
                + (query.isEmpty() ? "" : "?" + query));
        HttpRequest.Builder request = HttpRequest.newBuilder(uri)
                .timeout(PATIENCE)
                .method(
                        asked.method(),
                        asked.method().equals("PUT")
                                ? HttpRequest.BodyPublishers.ofByteArray(asked.body().bytes, 0, asked.body().length)
                                : HttpRequest.BodyPublishers.noBody());
        asked.headers().forEach(request::header);
        proof.forEach(request::header);
        return answer(request.build());
    }

    /** The request's own time-out ends with the headers of the answer. */
    private HttpResponse<byte[]> answer(HttpRequest request) throws StoreFailure {
        CompletableFuture<HttpResponse<byte[]>> answer =
                client.sendAsync(request, HttpResponse.BodyHandlers.ofByteArray());
        try {
            return answer.get(PATIENCE.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException interrupted) {
            answer.cancel(true);
            Thread.currentThread().interrupt();
            throw new StoreFailure(Kind.REFUSED, "interrupted");
        } catch (TimeoutException late) {
            answer.cancel(true);
            throw new StoreFailure(Kind.TRANSIENT, account + " does not answer within " + PATIENCE.toSeconds() + " s");
        } catch (ExecutionException failed) {
            throw failed.getCause() instanceof IOException broken
                    ? problems.of(account.getHost(), broken)
                    : new StoreFailure(Kind.REFUSED, String.valueOf(failed.getCause()));
        }
    }

    /** An answer that is a success. */
    private HttpResponse<byte[]> ask(Asked asked) throws StoreFailure {
        HttpResponse<byte[]> answer = send(asked);
        if (answer.statusCode() / 100 != 2) {
            throw problems.of(answer);
        }
        return answer;
    }

    @Override
    public Page top(String prefix, @Nullable String from) throws StoreFailure {
        return page(prefix, from, Map.of("delimiter", "/"));
    }

    @Override
    public Page below(String prefix, @Nullable String from) throws StoreFailure {
        return page(prefix, from, Map.of());
    }

    private Page page(String prefix, @Nullable String from, Map<String, String> more) throws StoreFailure {
        TreeMap<String, String> query = new TreeMap<>(more);
        query.put("restype", "container");
        query.put("comp", "list");
        if (!prefix.isEmpty()) {
            query.put("prefix", prefix);
        }
        if (from != null) {
            query.put("marker", from);
        }
        return BlobList.parse(
                ask(new Asked("GET", path, query, new TreeMap<>(), Body.NONE)).body());
    }

    @Override
    public long length(String name) throws StoreFailure {
        HttpResponse<byte[]> answer = send(blob("HEAD", name, Map.of(), Map.of(), Body.NONE));
        if (answer.statusCode() == NOT_FOUND) {
            return -1;
        }
        if (answer.statusCode() != 200) {
            throw problems.of(answer);
        }
        return answer.headers().firstValueAsLong("Content-Length").orElse(0);
    }

    @Override
    public byte[] read(String name, long from, int length) throws StoreFailure {
        String range = "bytes=" + from + "-" + (from + length - 1);
        byte[] bytes = ask(blob("GET", name, Map.of(), Map.of("x-ms-range", range), Body.NONE))
                .body();
        if (bytes.length != length) {
            throw new StoreFailure(Kind.TRANSIENT, name + ": " + bytes.length + " bytes came instead of " + length);
        }
        return bytes;
    }

    @Override
    public void put(String name, byte[] bytes) throws StoreFailure {
        ask(blob("PUT", name, Map.of(), ofBlob(bytes), Body.of(bytes)));
    }

    @Override
    public boolean create(String name, byte[] bytes) throws StoreFailure {
        TreeMap<String, String> headers = new TreeMap<>(ofBlob(bytes));
        headers.put("if-none-match", "*");
        HttpResponse<byte[]> answer = send(blob("PUT", name, Map.of(), headers, Body.of(bytes)));
        if (answer.statusCode() == PRECONDITION_FAILED
                || (answer.statusCode() == CONFLICT && BlobProblems.code(answer).equals("BlobAlreadyExists"))) {
            return false;
        }
        if (answer.statusCode() / 100 != 2) {
            throw problems.of(answer);
        }
        return true;
    }

    private static Map<String, String> ofBlob(byte[] bytes) {
        return Map.of("x-ms-blob-type", "BlockBlob", "content-type", TYPE, "content-md5", md5(bytes, bytes.length));
    }

    private static String md5(byte[] bytes, int length) {
        try {
            MessageDigest digest = MessageDigest.getInstance("MD5");
            digest.update(bytes, 0, length);
            return Base64.getEncoder().encodeToString(digest.digest());
        } catch (NoSuchAlgorithmException missing) {
            throw new IllegalStateException("every JDK has MD5", missing);
        }
    }

    /** Blocks need no beginning: those that nobody commits are forgotten by the service after a week. */
    @Override
    public String begin(String name) {
        return "";
    }

    @Override
    public String part(String name, String upload, int number, byte[] bytes, int length) throws StoreFailure {
        String id = Base64.getEncoder().encodeToString("%06d".formatted(number).getBytes(StandardCharsets.US_ASCII));
        ask(blob(
                "PUT",
                name,
                Map.of("comp", "block", "blockid", id),
                Map.of("content-md5", md5(bytes, length)),
                new Body(bytes, length)));
        return id;
    }

    @Override
    public void complete(String name, String upload, List<String> parts) throws StoreFailure {
        byte[] list = parts.stream()
                .map(id -> "<Latest>" + id + "</Latest>")
                .collect(
                        Collectors.joining("", "<?xml version=\"1.0\" encoding=\"utf-8\"?><BlockList>", "</BlockList>"))
                .getBytes(StandardCharsets.UTF_8);
        ask(blob(
                "PUT",
                name,
                Map.of("comp", "blocklist"),
                Map.of("x-ms-blob-content-type", TYPE, "content-md5", md5(list, list.length)),
                Body.of(list)));
    }

    @Override
    public void abort(String name, String upload) {}

    @Override
    public List<Unfinished> unfinished(String prefix) {
        return List.of();
    }

    @Override
    public void delete(String name) throws StoreFailure {
        HttpResponse<byte[]> answer = send(blob("DELETE", name, Map.of(), Map.of(), Body.NONE));
        if (answer.statusCode() / 100 != 2 && answer.statusCode() != NOT_FOUND) {
            throw problems.of(answer);
        }
    }

    /** The client ends with the process. */
    @Override
    public void close() {}
}
