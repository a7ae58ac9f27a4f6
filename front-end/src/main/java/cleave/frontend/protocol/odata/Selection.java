package cleave.frontend.protocol.odata;

import cleave.model.Utf8;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The properties of {@code $select}. Immutable.
 *
 * @param names in the order of the request, without repetitions; empty: all. A scan ignores the names of the keys, which it always
 *     returns
 * @param text as echoed in {@code odata.metadata}; null if there was no {@code $select}
 */
public record Selection(List<String> names, @Nullable String text) {
    public static final Selection ALL = new Selection(List.of(), null);

    /** The maximum of properties of an entity; more names could only add nulls to the response. */
    private static final int NAMES_MAX = 255;

    public Selection {
        names = List.copyOf(names);
    }

    /** @param text the value of {@code $select}, decoded; null: absent */
    static Selection parse(@Nullable String text) {
        if (text == null) {
            return ALL;
        }
        Set<String> names = new LinkedHashSet<>();
        for (String part : text.split(",", -1)) {
            String name = part.strip();
            if (name.equals("*")) {
                return new Selection(List.of(), text);
            }
            if (!name.isEmpty()) {
                names.add(name);
            }
        }
        if (names.size() > NAMES_MAX || !Utf8.isWhole(text)) {
            throw ServiceError.of(ServiceCode.INVALID_INPUT);
        }
        return new Selection(new ArrayList<>(names), text);
    }

    /** The end of {@code odata.metadata}. */
    String ofMetadata() {
        return text == null ? "" : "&$select=" + text;
    }

    /** True for the name of an annotation, which is not a property. */
    public static boolean isControl(String name) {
        return name.startsWith("odata.") || name.indexOf('@') >= 0;
    }

    public boolean isAll() {
        return names.isEmpty();
    }
}
