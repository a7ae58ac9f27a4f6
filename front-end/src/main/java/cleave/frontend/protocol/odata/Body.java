package cleave.frontend.protocol.odata;

import java.nio.charset.StandardCharsets;
import java.util.Objects;

/**
 * A slice of the bytes of a request. Immutable: nobody may write to the array.
 *
 * @param array contains the bytes
 * @param offset of the first byte
 * @param length in bytes
 */
@SuppressWarnings("ArrayRecordComponent") // A slice is never compared.
public record Body(byte[] array, int offset, int length) {
    public static final Body EMPTY = new Body(new byte[0], 0, 0);

    public Body {
        Objects.checkFromIndexSize(offset, length, array.length);
    }

    public static Body of(byte[] array) {
        return new Body(array, 0, array.length);
    }

    public static Body of(String text) {
        return of(text.getBytes(StandardCharsets.UTF_8));
    }

    public boolean isEmpty() {
        return length == 0;
    }

    /** The error of a malformed body; the text tells people what is wrong. */
    public static ServiceError malformed(String why) {
        return ServiceError.of(ServiceCode.INVALID_INPUT, "An error occurred while processing this request. " + why);
    }

    /** For people and tests. */
    @Override
    public String toString() {
        return new String(array, offset, length, StandardCharsets.UTF_8);
    }
}
