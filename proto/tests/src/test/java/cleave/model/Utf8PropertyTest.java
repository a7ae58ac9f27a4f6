package cleave.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

final class Utf8PropertyTest {
    @Provide
    Arbitrary<String> texts() {
        return Arbitraries.oneOf(Texts.few(4), Texts.any(12));
    }

    @Property(tries = 5000)
    void bytesCompareAsStringsDo(@ForAll("texts") String a, @ForAll("texts") String b) {
        byte[] left = ("<" + a).getBytes(StandardCharsets.UTF_8);
        byte[] right = ("<<" + b).getBytes(StandardCharsets.UTF_8);
        int order = Utf8.compareAsUtf16(left, 1, left.length, right, 2, right.length);
        assertThat(Integer.signum(order)).isEqualTo(Integer.signum(a.compareTo(b)));
    }

    @Property
    void unitsAreCountedAsStringsCount(@ForAll("texts") String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        assertThat(Utf8.utf16Length(bytes, 0, bytes.length)).isEqualTo(text.length());
        assertThat(Utf8.isWellFormed(bytes, 0, bytes.length)).isTrue();
        assertThat(Utf8.isWhole(text)).isTrue();
        assertThat(Utf8.encode(text)).isEqualTo(bytes);
    }

    @Property
    void textsWithLoneSurrogatesAreTold(@ForAll String text) {
        boolean survives = new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8).equals(text);
        assertThat(Utf8.isWhole(text)).isEqualTo(survives);
    }

    @Example
    void loneSurrogatesAreRefusedWhereverTheyStand() {
        for (String text : new String[] {"\uD800", "a\uDC00", "\uDC00\uD800", "\uD800\uD800\uDC00", "\uD800x"}) {
            assertThat(Utf8.isWhole(text)).isFalse();
            assertThatThrownBy(() -> Utf8.encode(text)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Example
    void surrogatesInUtf8AreNoText() {
        byte[] lone = {(byte) 0xed, (byte) 0xa0, (byte) 0x80};
        assertThat(Utf8.isWellFormed(lone, 0, 3)).isFalse();
        assertThatThrownBy(() -> Utf8.decode(lone, 0, 3)).isInstanceOf(Damaged.class);
    }
}
