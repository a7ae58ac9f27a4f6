package cleave.frontend.http;

import cleave.frontend.odata.Headers;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.HostAndPort;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The header fields of a Vert.x request. Confined to the request's loop.
 *
 * @param authority what stands for Host in HTTP/2; null in HTTP/1.1
 */
record HeaderFields(MultiMap fields, @Nullable String authority) implements Headers {
    static HeaderFields of(HttpServerRequest http) {
        HostAndPort authority = http.version() == HttpVersion.HTTP_2 ? http.authority() : null;
        return new HeaderFields(http.headers(), authority == null ? null : authority.toString());
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
