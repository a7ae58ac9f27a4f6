package cleave.advisories;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** An object of JSON, whose missing members are empty. Immutable. */
record Json(Map<?, ?> members) {
    private @Nullable Object member(String name) {
        return members.get(name);
    }

    boolean has(String name) {
        return member(name) != null;
    }

    /** The text of a member, or "" if there is none. */
    String text(String name) {
        return member(name) instanceof String text ? text : "";
    }

    Json object(String name) {
        return new Json(member(name) instanceof Map<?, ?> map ? map : Map.of());
    }

    Stream<Json> objects(String name) {
        return items(name).filter(Map.class::isInstance).map(item -> new Json((Map<?, ?>) item));
    }

    Stream<String> texts(String name) {
        return items(name).filter(String.class::isInstance).map(String.class::cast);
    }

    private Stream<?> items(String name) {
        return member(name) instanceof List<?> list ? list.stream() : Stream.empty();
    }
}
