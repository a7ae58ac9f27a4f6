package cleave.frontend.odata;

import org.jspecify.annotations.Nullable;

/** The query of an address, decoded once: {@code +} is a space. Immutable. Names are compared exactly. */
public final class QueryString {
    private QueryString() {}

    /** @param raw what stands behind the question mark, not decoded; null or empty: there is none */
    public static QueryString parse(@Nullable String raw) {
        throw new UnsupportedOperationException();
    }

    /** The value of an option; null if it is absent. */
    public @Nullable String value(String name) {
        throw new UnsupportedOperationException();
    }
}
