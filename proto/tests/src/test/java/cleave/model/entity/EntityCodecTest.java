package cleave.model.entity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.model.Damaged;
import cleave.model.Ticks;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

final class EntityCodecTest {
    private static byte[] entity(Property... properties) {
        return EntityCodec.encode(new Entity(1, List.of(properties)));
    }

    private static Property int32(String name) {
        return new Property(name, EdmType.INT32, 7);
    }

    @Test
    void layoutIsAsWritten() {
        byte[] bytes = EntityCodec.encode(new Entity(
                0x0102030405060708L,
                List.of(
                        new Property("S", EdmType.STRING, "é"),
                        new Property("G", EdmType.GUID, UUID.fromString("00112233-4455-6677-8899-aabbccddeeff")),
                        new Property("T", EdmType.BOOLEAN, true))));
        assertThat(HexFormat.of().formatHex(bytes))
                .isEqualTo("01" + "0102030405060708" + "0003"
                        + "0001" + "53" + "01" + "00000002" + "c3a9"
                        + "0001" + "47" + "08" + "00112233445566778899aabbccddeeff"
                        + "0001" + "54" + "03" + "01");
    }

    @Test
    void duplicateNamesAreNotWellFormed() {
        assertThat(EntityCodec.problem(entity(int32("A"), int32("A")))).contains("one name");
        assertThat(EntityCodec.isWellFormed(entity(int32("A"), int32("a")))).isTrue();
    }

    @Test
    void namesOfTheKeysAndTheTimestampAreNotProperties() {
        for (String name : List.of("PartitionKey", "RowKey", "Timestamp")) {
            assertThat(EntityCodec.isWellFormed(entity(int32(name)))).isFalse();
        }
    }

    @Test
    void namesAreMeasuredInUtf16() {
        assertThat(EntityCodec.isWellFormed(entity(int32("é".repeat(255))))).isTrue();
        assertThat(EntityCodec.isWellFormed(entity(int32("é".repeat(256))))).isFalse();
        assertThat(EntityCodec.isWellFormed(entity(int32("\uD800\uDC00".repeat(128)))))
                .isFalse();
        assertThat(EntityCodec.isWellFormed(entity(int32("")))).isFalse();
    }

    @Test
    void timesThatCannotBeShownAreNotWellFormed() {
        assertThat(EntityCodec.isWellFormed(entity(new Property("T", EdmType.DATETIME, Ticks.MIN))))
                .isTrue();
        assertThat(EntityCodec.isWellFormed(entity(new Property("T", EdmType.DATETIME, Ticks.MIN - 1))))
                .isFalse();
        assertThat(EntityCodec.isWellFormed(entity(new Property("T", EdmType.DATETIME, Ticks.MAX + 1))))
                .isFalse();
    }

    @Test
    void booleanThatIsNeitherTrueNorFalseIsNotWellFormed() {
        byte[] bytes = entity(new Property("T", EdmType.BOOLEAN, true));
        bytes[bytes.length - 1] = 2;
        assertThat(EntityCodec.isWellFormed(bytes)).isFalse();
    }

    @Test
    void textThatIsNotUtf8IsDamaged() {
        byte[] bytes = entity(new Property("T", EdmType.STRING, "x"));
        bytes[bytes.length - 1] = (byte) 0xff;
        assertThat(EntityCodec.isWellFormed(bytes)).isFalse();
        assertThatThrownBy(() -> EntityCodec.decode(bytes)).isInstanceOf(Damaged.class);
    }

    @Test
    void loneSurrogateIsNotReplacedInSilence() {
        assertThatThrownBy(() -> entity(new Property("T", EdmType.STRING, "x\uD800")))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void lengthBeyondTheBytesIsDamagedHoweverLarge() {
        byte[] bytes = entity(new Property("T", EdmType.BINARY, new byte[] {1, 2, 3}));
        for (int length : new int[] {4, Integer.MAX_VALUE, -1, Integer.MIN_VALUE}) {
            EntityLayout.putLong(
                    bytes, bytes.length - 8, (long) EdmType.BINARY.number() << 56 | (length & 0xffffffffL) << 24);
            assertThatThrownBy(() -> EntityCodec.decode(bytes)).isInstanceOf(Damaged.class);
        }
    }

    @Test
    void noNamesSelectAllWithoutACopy() {
        byte[] bytes = entity(int32("A"));
        assertThat(Projection.of(List.of()).apply(bytes)).isSameAs(bytes);
    }
}
