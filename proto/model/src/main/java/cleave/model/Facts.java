package cleave.model;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Named facts about a part of a process, in the order in which they were added: what it shows an operator. A value is a text, a whole
 * number, a flag, other facts, or a list of texts or facts. Immutable.
 */
public record Facts(Map<String, Object> values) {
    public static final Facts NONE = new Facts(Map.of());

    public Facts {
        values = Collections.unmodifiableMap(new LinkedHashMap<>(values));
    }

    public Facts and(String name, String text) {
        return with(name, text);
    }

    public Facts and(String name, long number) {
        return with(name, number);
    }

    public Facts and(String name, boolean flag) {
        return with(name, flag);
    }

    public Facts and(String name, Facts inner) {
        return with(name, inner);
    }

    public Facts andTexts(String name, List<String> texts) {
        return with(name, List.copyOf(texts));
    }

    public Facts andEach(String name, List<Facts> each) {
        return with(name, List.copyOf(each));
    }

    private Facts with(String name, Object value) {
        Map<String, Object> more = new LinkedHashMap<>(values);
        more.put(name, value);
        return new Facts(more);
    }
}
