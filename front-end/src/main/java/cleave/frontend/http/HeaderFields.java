package cleave.frontend.http;

import cleave.frontend.odata.Headers;
import io.vertx.core.MultiMap;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The header fields of a Vert.x request. Confined to the request's loop. */
record HeaderFields(MultiMap fields) implements Headers {
    @Override
    public List<String> all(String name) {
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
        String value = fields.get(name);
        return value == null ? null : value.trim();
    }
}
