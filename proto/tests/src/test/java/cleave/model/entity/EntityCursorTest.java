package cleave.model.entity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.model.Damaged;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class EntityCursorTest {
    private static final Entity ENTITY = new Entity(
            7,
            List.of(
                    new Property("Text", EdmType.STRING, "zwölf"),
                    new Property("Bytes", EdmType.BINARY, new byte[] {1, 2}),
                    new Property("Flag", EdmType.BOOLEAN, true),
                    new Property("Small", EdmType.INT32, -3),
                    new Property("Large", EdmType.INT64, 1L << 40),
                    new Property("Real", EdmType.DOUBLE, 2.5),
                    new Property("When", EdmType.DATETIME, 12345L),
                    new Property("Id", EdmType.GUID, new UUID(1, 2))));

    @Test
    void visitsEveryPropertyInItsOrder() {
        byte[] bytes = EntityCodec.encode(ENTITY);
        EntityCursor cursor = new EntityCursor(bytes);
        List<String> seen = new ArrayList<>();
        while (cursor.advance()) {
            seen.add(cursor.name() + "=" + value(bytes, cursor));
        }
        assertThat(seen)
                .containsExactly(
                        "Text=zwölf",
                        "Bytes=[1, 2]",
                        "Flag=true",
                        "Small=-3",
                        "Large=1099511627776",
                        "Real=2.5",
                        "When=12345",
                        "Id=00000000-0000-0001-0000-000000000002");
        assertThat(cursor.advance()).isFalse();
    }

    private static Object value(byte[] bytes, EntityCursor cursor) {
        int start = cursor.valueStart();
        return switch (cursor.type()) {
            case STRING -> new String(bytes, start, cursor.valueLength(), StandardCharsets.UTF_8);
            case BINARY -> Arrays.toString(Arrays.copyOfRange(bytes, start, start + cursor.valueLength()));
            case BOOLEAN -> cursor.booleanValue();
            case INT32 -> cursor.intValue();
            case INT64, DATETIME -> cursor.longValue();
            case DOUBLE -> cursor.doubleValue();
            case GUID -> cursor.guidValue();
        };
    }

    @Test
    void cutEntitiesAreDamagedAndNothingElse() {
        byte[] whole = EntityCodec.encode(ENTITY);
        for (int length = 0; length < whole.length; length++) {
            byte[] cut = Arrays.copyOf(whole, length);
            assertThatThrownBy(() -> walk(cut)).isInstanceOf(Damaged.class);
        }
    }

    private static void walk(byte[] bytes) {
        EntityCursor cursor = new EntityCursor(bytes);
        while (cursor.advance()) {
            assertThat(value(bytes, cursor)).isNotNull();
        }
    }
}
