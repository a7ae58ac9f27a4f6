package cleave.frontend.http;

import cleave.frontend.protocol.odata.Headers;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.HostAndPort;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The header fields of a Vert.x request. Confined to the request's loop.
 *
 * @param authority what stands for Host in HTTP/2; null in HTTP/1.1
 */
record HeaderFields(MultiMap fields, @Nullable String authority) implements Headers {
    /** More in one head are refused. */
    static final int FIELDS_MAX = 256;

    /** The objects of a request, Vert.x's and ours. */
    private static final long REQUEST_BYTES = 4 << 10;
    /** The objects of a field, and the text of it once more. */
    private static final long FIELD_BYTES = 200;

    private static final long TEXTS = 2;

    static HeaderFields of(HttpServerRequest http) {
        HostAndPort authority = http.version() == HttpVersion.HTTP_2 ? http.authority() : null;
        return new HeaderFields(http.headers(), authority == null ? null : authority.toString());
    }

    /** The bytes that a head takes in memory. */
    static long cost(long textBytes, int fields) {
        return REQUEST_BYTES + TEXTS * textBytes + FIELD_BYTES * fields;
    }

    /** The bytes that the head of this request takes in memory. */
    long cost(int targetBytes) {
        long text = targetBytes;
        int count = 0;
        for (Map.Entry<String, String> field : fields) {
            text += field.getKey().length() + field.getValue().length();
            count++;
        }
        return cost(text, count);
    }

    boolean areTooMany() {
        Iterator<?> all = fields.iterator();
        int count = 0;
        while (count <= FIELDS_MAX && all.hasNext()) {
            all.next();
            count++;
        }
        return count > FIELDS_MAX;
    }

    @Override
    public List<String> all(String name) {
        if (authority != null && name.equals("Host")) {
            return List.of(authority);
        }
        List<String> values = fields.getAll(name);
        if (values.isEmpty()) {
            return List.of();
        }
        List<String> trimmed = new ArrayList<>(values.size());
        for (String value : values) {
            trimmed.add(value.trim());
        }
        return trimmed;
    }

    @Override
    public @Nullable String first(String name) {
        if (authority != null && name.equals("Host")) {
            return authority;
        }
        String value = fields.get(name);
        return value == null ? null : value.trim();
    }
}
