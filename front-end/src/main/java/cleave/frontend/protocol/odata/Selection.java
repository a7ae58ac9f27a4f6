package cleave.frontend.protocol.odata;

import cleave.model.Utf8;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What {@code $select} asked for. Immutable.
 *
 * @param names in the order asked for, without repetitions; empty: all there are. Also what a scan may be asked to return:
 *     it passes over the names of the keys, which it always returns
 * @param text as echoed in {@code odata.metadata}; null if there was no {@code $select}
 */
public record Selection(List<String> names, @Nullable String text) {
    public static final Selection ALL = new Selection(List.of(), null);

    /** As many as an entity can have; more of them can only be nulls that swell the answer. */
    private static final int NAMES_MAX = 255;

    public Selection {
        names = List.copyOf(names);
    }

    /** @param text the value of {@code $select}, decoded; null: there is none */
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

    /** What {@code odata.metadata} ends with. */
    String ofMetadata() {
        return text == null ? "" : "&$select=" + text;
    }

    /** True for the name of what is no property, but said about one or about the entity. */
    static boolean isControl(String name) {
        return name.startsWith("odata.") || name.indexOf('@') >= 0;
    }

    public boolean isAll() {
        return names.isEmpty();
    }
}
