package cleave.frontend.protocol.odata;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Percent-encoding of addresses. A raw character above U+007F stands for the byte of that value, because HTTP servers pass such bytes on as
 * Latin-1 characters.
 */
final class PercentCoding {
    private static final String HEX = "0123456789ABCDEF";

    private PercentCoding() {}

    /** Why a text cannot be decoded. */
    enum Fault {
        /** A percent sign without two hex digits, or a raw character above U+00FF. */
        SYNTAX,
        /** The bytes are not UTF-8 (a lone surrogate's are not). */
        NOT_UTF8
    }

    /** The result of decoding: a text or a fault. Immutable. */
    record Decoded(@Nullable String text, @Nullable Fault fault) {
        /** The text; throws the error of the given code if there is none. */
        String orRefuse(ServiceCode syntax, ServiceCode notUtf8) {
            if (text == null) {
                throw ServiceError.of(fault == Fault.SYNTAX ? syntax : notUtf8);
            }
            return text;
        }
    }

    /** Decodes once. */
    static Decoded decode(String raw, boolean plusIsSpace) {
        if (isPlain(raw, plusIsSpace)) {
            return new Decoded(raw, null);
        }
        byte[] bytes = new byte[raw.length()];
        int count = 0;
        for (int i = 0; i < raw.length(); i++) {
            char c = raw.charAt(i);
            if (c == '%') {
                int value = i + 2 < raw.length() ? hex(raw.charAt(i + 1)) << 4 | hex(raw.charAt(i + 2)) : -1;
                if (value < 0) {
                    return new Decoded(null, Fault.SYNTAX);
                }
                bytes[count++] = (byte) value;
                i += 2;
            } else if (c > 0xff) {
                return new Decoded(null, Fault.SYNTAX);
            } else {
                bytes[count++] = (byte) (plusIsSpace && c == '+' ? ' ' : c);
            }
        }
        return utf8(bytes, count);
    }

    private static boolean isPlain(String raw, boolean plusIsSpace) {
        for (int i = 0; i < raw.length(); i++) {
            char c = raw.charAt(i);
            if (c == '%' || c > 0x7f || (plusIsSpace && c == '+')) {
                return false;
            }
        }
        return true;
    }

    /** Negative if the character is not an ASCII hex digit. */
    private static int hex(char c) {
        return c < 0x80 ? Character.digit(c, 16) : -1;
    }

    private static Decoded utf8(byte[] bytes, int count) {
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes, 0, count))
                    .toString();
            return new Decoded(text, null);
        } catch (CharacterCodingException e) {
            return new Decoded(null, Fault.NOT_UTF8);
        }
    }

    /** Encodes all but the characters of a path segment (RFC 3986, pchar). Reversible. */
    static String encode(String text) {
        if (isPathCharacter(text)) {
            return text;
        }
        StringBuilder encoded = new StringBuilder(text.length() + 16);
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            if (isPathCharacter((char) (b & 0xff))) {
                encoded.append((char) b);
            } else {
                encoded.append('%').append(HEX.charAt(b >> 4 & 0xf)).append(HEX.charAt(b & 0xf));
            }
        }
        return encoded.toString();
    }

    private static boolean isPathCharacter(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (!isPathCharacter(text.charAt(i))) {
                return false;
            }
        }
        return true;
    }

    private static boolean isPathCharacter(char c) {
        return (c >= 'a' && c <= 'z')
                || (c >= 'A' && c <= 'Z')
                || (c >= '0' && c <= '9')
                || "-._~!$&'()*+,;=:@".indexOf(c) >= 0;
    }
}
