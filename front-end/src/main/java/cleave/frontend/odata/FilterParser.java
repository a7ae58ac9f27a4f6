package cleave.frontend.odata;

import cleave.model.Filter;

/** Reads {@code $filter}. */
public final class FilterParser {
    private FilterParser() {}

    /** The filter of a text that is not blank. */
    public static Filter parse(String text) {
        throw new UnsupportedOperationException();
    }
}
