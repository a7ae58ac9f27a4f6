package cleave.chaos.lab.script;

import cleave.chaos.lab.script.Words.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Reads what stands behind verbs: values, tables and properties. Confined to its thread. */
final class Operands {
    /** Puts a property, or several. */
    interface Property {
        void put(Play play, Map<String, Object> properties);
    }

    /** Names that have a value so far. */
    private final Set<String> known = new TreeSet<>();

    /** From here on this name has a value; false if it had one before. */
    boolean know(String name) {
        return known.add(name);
    }

    void forget(String name) {
        known.remove(name);
    }

    Expressions expressions(Words words) {
        return new Expressions(words, known);
    }

    Expression value(Words words) {
        return expressions(words).read();
    }

    Expression table(Words words) {
        String name = expressions(words).name();
        return play -> play.value(name);
    }

    List<Property> properties(Words words) {
        List<Property> properties = new ArrayList<>();
        do {
            properties.add(property(words));
        } while (words.take(","));
        return properties;
    }

    /** {@code NAME = VALUE}, or {@code [NAME in LIST: "NAME{i}" = VALUE]} for one for each. */
    private Property property(Words words) {
        if (words.take("[")) {
            String name = words.take(Kind.NAME, "a name");
            words.expect("in");
            Expression list = value(words);
            words.expect(":");
            known.add(name);
            Property each = property(words);
            words.expect("]");
            return (play, values) -> play.each(name, list.in(play), () -> each.put(play, values));
        }
        String plain = words.is(Kind.TEXT) ? "" : words.take(Kind.NAME, "the name of a property");
        Expression name = plain.isEmpty() ? value(words) : play -> plain;
        words.expect("=");
        Expression value = value(words);
        return (play, values) -> values.put(name.text(play), Values.stored(value.in(play)));
    }
}
