package cleave.frontend.protocol.odata;

import cleave.model.entity.Literal;
import org.jspecify.annotations.Nullable;

/**
 * A token of a filter. Immutable.
 *
 * @param text of a word
 * @param literal of a constant; null for any other token
 * @param end the index after its last character
 */
record FilterToken(Kind kind, String text, @Nullable Literal literal, int end) {
    enum Kind {
        OPEN,
        CLOSE,
        /** The name of a property, a keyword or an operator, depending on the context. */
        WORD,
        CONSTANT,
        NULL,
        END,
        /** A token that no filter has, or a malformed constant. */
        BROKEN
    }
}
