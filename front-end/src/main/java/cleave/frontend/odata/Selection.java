package cleave.frontend.odata;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What {@code $select} asked for. Immutable.
 *
 * @param names in the order asked for, without repetitions; empty: all there are
 * @param text as echoed in {@code odata.metadata}; null if there was no {@code $select}
 */
public record Selection(List<String> names, @Nullable String text) {
    public static final Selection ALL = new Selection(List.of(), null);

    public Selection {
        names = List.copyOf(names);
    }

    public boolean isAll() {
        return names.isEmpty();
    }
}
