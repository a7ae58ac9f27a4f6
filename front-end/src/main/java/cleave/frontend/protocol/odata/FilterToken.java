package cleave.frontend.protocol.odata;

import cleave.model.entity.Literal;
import org.jspecify.annotations.Nullable;

/**
 * A word of a filter. Immutable.
 *
 * @param text of a name or word
 * @param literal of a constant; null for the null constant, too
 * @param end index behind its last character
 */
record FilterToken(Kind kind, String text, @Nullable Literal literal, int end) {
    enum Kind {
        OPEN,
        CLOSE,
        /** A property's name, a keyword or an operator: which of them is seen from where it stands. */
        WORD,
        CONSTANT,
        NULL,
        END,
        /** What is no word of the language. */
        BROKEN
    }
}
