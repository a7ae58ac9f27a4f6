package cleave.frontend.protocol.odata;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Header fields of a request, looked up by a name in any case. */
@FunctionalInterface
public interface Headers {
    Headers NONE = name -> List.of();

    /** All values of a header in their order, trimmed; empty if it is absent. */
    List<String> all(String name);

    /** The first value of a header; null if it is absent. */
    default @Nullable String first(String name) {
        List<String> values = all(name);
        return values.isEmpty() ? null : values.get(0);
    }
}
