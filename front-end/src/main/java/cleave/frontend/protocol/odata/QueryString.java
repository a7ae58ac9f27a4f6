package cleave.frontend.protocol.odata;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The query of an address, decoded; {@code +} is a space. Immutable. Names are case-sensitive. */
public final class QueryString {
    public static final QueryString EMPTY = new QueryString(List.of());

    private record Option(String name, String value) {}

    private final List<Option> options;

    private QueryString(List<Option> options) {
        this.options = options;
    }

    /** @param raw the text after the question mark, not decoded; null or empty: there is none */
    public static QueryString parse(@Nullable String raw) {
        if (raw == null || raw.isEmpty()) {
            return EMPTY;
        }
        List<Option> options = new ArrayList<>();
        int from = 0;
        while (from <= raw.length()) {
            int ampersand = raw.indexOf('&', from);
            int to = ampersand < 0 ? raw.length() : ampersand;
            if (to > from) {
                options.add(option(raw.substring(from, to)));
            }
            from = to + 1;
        }
        return new QueryString(List.copyOf(options));
    }

    /** Parses as {@link #parse} does; empty if it is malformed, to answer a request that is refused for it. */
    public static QueryString parseOrEmpty(@Nullable String raw) {
        try {
            return parse(raw);
        } catch (ServiceError malformed) {
            return EMPTY;
        }
    }

    private static Option option(String raw) {
        int equals = raw.indexOf('=');
        String name = equals < 0 ? raw : raw.substring(0, equals);
        String value = equals < 0 ? "" : raw.substring(equals + 1);
        return new Option(decode(name), decode(value));
    }

    private static String decode(String raw) {
        return PercentCoding.decode(raw, true).orRefuse(ServiceCode.INVALID_INPUT, ServiceCode.INVALID_INPUT);
    }

    /** The value of an option; null if it is absent. Refuses an option that is given twice. */
    public @Nullable String value(String name) {
        String value = null;
        for (Option option : options) {
            if (option.name.equals(name)) {
                if (value != null) {
                    throw ServiceError.of(ServiceCode.INVALID_QUERY_PARAMETER_VALUE);
                }
                value = option.value;
            }
        }
        return value;
    }

    /** Looks up as {@link #value} does; null if it is given twice, to answer a request that is refused for it. */
    public @Nullable String valueOrNull(String name) {
        try {
            return value(name);
        } catch (ServiceError repeated) {
            return null;
        }
    }

    public boolean contains(String name) {
        for (Option option : options) {
            if (option.name.equals(name)) {
                return true;
            }
        }
        return false;
    }

    /** Passes each name to the action, in order, with repetitions. */
    public void forEachName(Consumer<String> action) {
        for (Option option : options) {
            action.accept(option.name);
        }
    }
}
