package cleave.model;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Text as stored bytes: strict in both directions, compared and measured as UTF-16 without decoding. */
public final class Utf8 {
    private Utf8() {}

    /** The bytes of a text; rejects lone surrogates, which UTF-8 cannot encode. */
    public static byte[] encode(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (!isWhole(text)) {
            throw new IllegalArgumentException("text contains a lone surrogate");
        }
        return bytes;
    }

    /** True if the text consists of whole characters: no lone surrogate. */
    public static boolean isWhole(CharSequence text) {
        int at = 0;
        while (at < text.length()) {
            int point = Character.codePointAt(text, at);
            if (point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE) {
                return false; // Only a lone one is read as itself.
            }
            at += Character.charCount(point);
        }
        return true;
    }

    /** True if these bytes are well-formed UTF-8: no overlong forms, no surrogates, nothing truncated. */
    public static boolean isWellFormed(byte[] bytes, int from, int to) {
        return com.google.common.base.Utf8.isWellFormed(bytes, from, to - from);
    }

    /** The text of these bytes; {@link Damaged} if they are not UTF-8. */
    public static String decode(byte[] bytes, int from, int to) {
        if (!isWellFormed(bytes, from, to)) {
            throw new Damaged("text is not UTF-8");
        }
        return new String(bytes, from, to - from, StandardCharsets.UTF_8);
    }

    /** The number of UTF-16 units of a well-formed text. */
    public static int utf16Length(byte[] bytes, int from, int to) {
        int units = 0;
        for (int i = from; i < to; i++) {
            int lead = bytes[i] & 0xff;
            if (lead < 0x80 || lead >= 0xc0) {
                units += lead >= 0xf0 ? 2 : 1;
            }
        }
        return units;
    }

    /**
     * Compares two well-formed texts as {@link String#compareTo} would: as UTF-16 units.
     *
     * <p>The order of bytes is the order of code points. UTF-16 differs from that only in putting characters beyond U+FFFF (lead bytes F0
     * to F4) before U+E000 to U+FFFF (lead bytes EE and EF). Where two texts first differ in a continuation byte, they agree in the lead
     * byte and so in the kind of character.
     */
    public static int compareAsUtf16(byte[] a, int aFrom, int aTo, byte[] b, int bFrom, int bTo) {
        int same = Arrays.mismatch(a, aFrom, aTo, b, bFrom, bTo);
        if (same < 0) {
            return 0;
        }
        if (aFrom + same == aTo || bFrom + same == bTo) {
            return Integer.compare(aTo - aFrom, bTo - bFrom);
        }
        return Integer.compare(utf16Rank(a[aFrom + same]), utf16Rank(b[bFrom + same]));
    }

    private static int utf16Rank(byte raw) {
        int unsigned = raw & 0xff;
        return unsigned == 0xee || unsigned == 0xef ? unsigned + 0x10 : unsigned;
    }
}
