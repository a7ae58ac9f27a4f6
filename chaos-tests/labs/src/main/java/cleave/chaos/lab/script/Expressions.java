package cleave.chaos.lab.script;

import cleave.chaos.lab.script.Words.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads expressions from the words of a line. Confined to its thread. */
final class Expressions {
    private static final Pattern INSERTED = Pattern.compile("\\{((?:[^{}]|\\{[^{}]*})+?)(?::(,|\\.?\\d+))?}");
    private final Words words;
    private final Set<String> known;

    /** @param known the names that have a value where the words stand */
    Expressions(Words words, Set<String> known) {
        this.words = words;
        this.known = known;
    }

    Expression read() {
        return joined("or", true, () -> joined("and", false, this::comparison));
    }

    /** @param decisive the value of a part which is that of the whole, whatever the others are */
    private Expression joined(String sign, boolean decisive, Supplier<Expression> part) {
        Expression left = part.get();
        while (words.take(sign)) {
            Expression first = left;
            Expression second = part.get();
            left = play -> Values.truth(first.in(play)) == decisive ? decisive : Values.truth(second.in(play));
        }
        return left;
    }

    private Expression comparison() {
        if (words.take("not")) {
            Expression denied = comparison();
            return play -> !Values.truth(denied.in(play));
        }
        Expression left = range();
        for (String sign : List.of("==", "!=", "<", "<=", ">", ">=")) {
            if (words.take(sign)) {
                Expression right = range();
                return play -> Values.compared(sign, left.in(play), right.in(play));
            }
        }
        return left;
    }

    private Expression range() {
        Expression first = sum();
        if (!words.take("..")) {
            return first;
        }
        Expression last = sum();
        return play -> Values.range(first.in(play), last.in(play));
    }

    private Expression sum() {
        return calculated(this::product, List.of("+", "-"));
    }

    private Expression product() {
        return calculated(this::signed, List.of("*", "/", "%"));
    }

    private Expression calculated(Supplier<Expression> operand, List<String> signs) {
        Expression left = operand.get();
        for (int i = 0; i < signs.size(); ) {
            String sign = signs.get(i);
            if (words.take(sign)) {
                Expression first = left;
                Expression second = operand.get();
                left = play -> Values.calculated(sign, first.in(play), second.in(play));
                i = 0;
            } else {
                i++;
            }
        }
        return left;
    }

    private Expression signed() {
        if (words.take("-")) {
            Expression positive = signed();
            return play -> Values.calculated("-", 0L, positive.in(play));
        }
        Expression value = primary();
        while (true) {
            if (words.take(".")) {
                Expression of = value;
                String name = words.take(Kind.NAME, "the name of a property, or of what was counted");
                value = play -> Values.field(of.in(play), name);
            } else if (words.takeAdjacent("[")) {
                Expression of = value;
                Expression index = read();
                words.expect("]");
                value = play -> Values.item(of.in(play), index.in(play));
            } else {
                return value;
            }
        }
    }

    private Expression primary() {
        if (words.is(Kind.NUMBER)) {
            String digits = words.take(Kind.NUMBER, "a number").replace("_", "");
            Object number = digits.contains(".") ? (Object) Double.valueOf(digits) : (Object) Long.valueOf(digits);
            return play -> number;
        }
        if (words.is(Kind.TEXT)) {
            return inserted(words.take(Kind.TEXT, "a text"));
        }
        if (words.take("(")) {
            Expression inside = read();
            words.expect(")");
            return inside;
        }
        if (words.take("[")) {
            return list();
        }
        if (words.take("true")) {
            return play -> true;
        }
        if (words.take("false")) {
            return play -> false;
        }
        if (words.isAhead(1, "(")) {
            return function();
        }
        String name = name();
        return play -> play.value(name);
    }

    /** A name that has a value. */
    String name() {
        String name = words.take(Kind.NAME, "a value: a name, a number, a \"text\" or a [list]");
        if (!known.contains(name)) {
            throw words.line().wrong("there is no '" + name + "' before this line; there are " + new TreeSet<>(known));
        }
        return name;
    }

    /** Such as {@code at {place} of {count:,}}; a value alone keeps its type. */
    Expression inserted(String text) {
        List<Expression> parts = new ArrayList<>();
        Matcher matcher = INSERTED.matcher(text);
        int end = 0;
        while (matcher.find()) {
            String before = text.substring(end, matcher.start());
            parts.add(play -> before);
            Expressions inside = new Expressions(new Words(words.line(), matcher.group(1)), known);
            Expression value = inside.read();
            inside.words.end();
            String format = matcher.group(2);
            if (format == null && matcher.group().equals(text)) {
                return value;
            }
            parts.add(play -> Values.text(value.in(play), format));
            end = matcher.end();
        }
        String rest = text.substring(end);
        return play -> {
            StringBuilder whole = new StringBuilder();
            parts.forEach(part -> whole.append(part.in(play)));
            return whole.append(rest).toString();
        };
    }

    /** {@code [VALUE, ...]}, or {@code [NAME in LIST if CLAIM: VALUE]}. */
    private Expression list() {
        if (words.isAhead(1, "in")) {
            return eachOf();
        }
        List<Expression> items = new ArrayList<>();
        while (!words.take("]")) {
            items.add(read());
            if (!words.is("]")) {
                words.expect(",");
            }
        }
        return play -> items.stream().map(item -> item.in(play)).toList();
    }

    private Expression eachOf() {
        String name = words.take(Kind.NAME, "a name");
        words.expect("in");
        Expression list = read();
        Set<String> inside = new TreeSet<>(known);
        inside.add(name);
        Expressions reader = new Expressions(words, inside);
        Expression condition = words.take("if") ? reader.read() : play -> true;
        words.expect(":");
        Expression value = reader.read();
        words.expect("]");
        return play -> {
            List<Object> values = new ArrayList<>();
            play.each(name, list.in(play), () -> {
                if (Values.truth(condition.in(play))) {
                    values.add(value.in(play));
                }
            });
            return values;
        };
    }

    private Expression function() {
        String name = words.take(Kind.NAME, "a function");
        Functions.Named function = Functions.all().get(name);
        if (function == null) {
            throw words.line()
                    .wrong("there is no function '" + name + "'; there are "
                            + Functions.all().keySet());
        }
        words.expect("(");
        List<Expression> of = new ArrayList<>();
        while (!words.take(")")) {
            of.add(read());
            if (!words.is(")")) {
                words.expect(",");
            }
        }
        if (of.size() != function.parameters()) {
            throw words.line().wrong(name + " takes " + function.parameters() + " values, not " + of.size());
        }
        return play -> function.of(play, of.stream().map(each -> each.in(play)).toList());
    }
}
