package cleave.model;

import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;

/** Generated texts of whole characters, with all lengths of UTF-8 and both sides of the surrogates likely. */
public final class Texts {
    private Texts() {}

    /** Any character but lone surrogates. */
    public static Arbitrary<String> any(int lengthMax) {
        return of(0, lengthMax);
    }

    /** Texts that keys may have: without U+0000 to U+001F. */
    public static Arbitrary<String> keys(int lengthMax) {
        return of(0x20, lengthMax);
    }

    /** Texts of few letters, so that equal ones and prefixes are likely. */
    public static Arbitrary<String> few(int lengthMax) {
        return Arbitraries.of(
                        "a", "b", "é", "\uD7FF", "\uE000", "\uFFFD", "\uFFFF", "\uD800\uDC00", "\uDBFF\uDFFF", "\u20AC")
                .list()
                .ofMaxSize(lengthMax)
                .map(parts -> String.join("", parts));
    }

    private static Arbitrary<String> of(int least, int lengthMax) {
        return Arbitraries.oneOf(
                        Arbitraries.integers().between(least, 0x7f),
                        Arbitraries.integers().between(0x80, 0x7ff),
                        Arbitraries.integers().between(0x800, 0xd7ff),
                        Arbitraries.integers().between(0xe000, 0xffff),
                        Arbitraries.integers().between(0x10000, 0x10ffff))
                .list()
                .ofMaxSize(lengthMax)
                .map(Texts::text);
    }

    private static String text(List<Integer> points) {
        StringBuilder text = new StringBuilder();
        points.forEach(text::appendCodePoint);
        return text.toString();
    }
}
