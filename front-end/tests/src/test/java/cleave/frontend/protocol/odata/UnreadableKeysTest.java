package cleave.frontend.protocol.odata;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.model.Key;
import cleave.model.KeyRange;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class UnreadableKeysTest {
    private static final long TABLE = 5;

    private static String text(Key start, @Nullable Key end) {
        return UnreadableKeys.text(List.of(new KeyRange(start, end)));
    }

    /** A bound as files' indexes have them: some bytes of a key, the last perhaps one higher. */
    private static Key bound(String begins, int... bytes) {
        byte[] text = begins.getBytes(StandardCharsets.UTF_8);
        ByteBuffer all = ByteBuffer.allocate(Long.BYTES + text.length + bytes.length)
                .putLong(TABLE)
                .put(text);
        for (int each : bytes) {
            all.put((byte) each);
        }
        return Key.wrap(all.array());
    }

    private static final Key START = Key.of(TABLE, "a", "1");

    @Test
    void keysAreToldAsTheyAre() {
        assertThat(text(START, Key.of(TABLE, "de", "2")))
                .isEqualTo("[{\"from\":[\"a\",\"1\"],\"before\":[\"de\",\"2\"]}]");
        assertThat(text(START.next(), Key.of(TABLE, "de", "2").next()))
                .isEqualTo("[{\"after\":[\"a\",\"1\"],\"through\":[\"de\",\"2\"]}]");
        assertThat(text(Key.of(TABLE, "", ""), Key.of(TABLE, "de", "")))
                .as("an empty key is one, too")
                .isEqualTo("[{\"before\":[\"de\",\"\"]}]");
        assertThat(text(Key.of(TABLE, "", "").next(), Key.of(TABLE, "", "x")))
                .isEqualTo("[{\"after\":[\"\",\"\"],\"before\":[\"\",\"x\"]}]");
    }

    @Test
    void theEndsOfTheTableAreLeftOut() {
        assertThat(text(Key.beforeTable(TABLE), Key.beforeTable(TABLE + 1))).isEqualTo("[{}]");
        assertThat(text(START, null)).isEqualTo("[{\"from\":[\"a\",\"1\"]}]");
        assertThat(UnreadableKeys.text(List.of())).isEqualTo("[]");
    }

    @Test
    void boundsOfPartitionsAreTheirBeginnings() {
        assertThat(text(Key.beforePartition(TABLE, "b"), Key.beforePartition(TABLE, "d")))
                .isEqualTo("[{\"from\":[\"b\",\"\"],\"before\":[\"d\",\"\"]}]");
        assertThat(text(bound("b"), bound("d", 0)))
                .as("behind the bound d is where its partition begins")
                .isEqualTo("[{\"from\":[\"b\",\"\"],\"before\":[\"d\",\"\"]}]");
    }

    /** No key within is left out, and hardly another is taken in. */
    @Test
    void boundsThatAreNoTextAreToldALittleTooLarge() {
        assertThat(text(bound("b\u00e4", 0xc3), bound("d\u00e4", 0xc4, 0)))
                .isEqualTo("[{\"from\":[\"b\\u00E4\",\"\"],\"before\":[\"d\\u00E5\",\"\"]}]");
        assertThat(text(bound("b\0r", 0xc3, 0), bound("d\0r", 0xe2, 0x82, 0)))
                .isEqualTo("[{\"from\":[\"b\",\"r\"],\"before\":[\"d\",\"s\"]}]");
        assertThat(text(START, bound("d\0", 0xe2, 0x82, 0)))
                .isEqualTo("[{\"from\":[\"a\",\"1\"],\"before\":[\"d\\u0001\",\"\"]}]");
        assertThat(text(START, bound("", 0xe2, 0x82, 0))).isEqualTo("[{\"from\":[\"a\",\"1\"]}]");
        assertThat(text(START, bound("x\ud7ff", 0xff)))
                .isEqualTo("[{\"from\":[\"a\",\"1\"],\"before\":[\"x\\uE000\",\"\"]}]");
        assertThat(text(START, bound("x\udbff\udfff", 0xff)))
                .isEqualTo("[{\"from\":[\"a\",\"1\"],\"before\":[\"y\",\"\"]}]");
    }
}
