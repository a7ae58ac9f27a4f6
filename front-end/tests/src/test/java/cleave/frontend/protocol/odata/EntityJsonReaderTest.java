package cleave.frontend.protocol.odata;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.model.Key;
import cleave.model.Ticks;
import cleave.model.entity.EdmType;
import cleave.model.entity.EntityCodec;
import cleave.model.entity.Property;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class EntityJsonReaderTest {
    private static final Resource.EntityAddress ADDRESS = new Resource.EntityAddress("Orders", "p", "r");
    private static final String KEYS = "\"PartitionKey\":\"p\",\"RowKey\":\"r\"";

    private static EntityBody insert(String members) {
        return EntityJsonReader.read(Body.of("{" + KEYS + "," + members + "}")).ofInsert();
    }

    private static Property only(String members) {
        EntityBody body = insert(members);
        assertThat(body.entity().properties()).hasSize(1);
        return body.entity().properties().get(0);
    }

    static Stream<Arguments> values() {
        return Stream.of(
                Arguments.of("\"P\":\"text\"", EdmType.STRING, "text"),
                Arguments.of("\"P@odata.type\":\"Edm.String\",\"P\":\"5\"", EdmType.STRING, "5"),
                Arguments.of("\"P\":\"\\u0000\\u001f\"", EdmType.STRING, "\0\u001f"),
                Arguments.of("\"P\":\"\\ud83d\\ude00\"", EdmType.STRING, "😀"),
                Arguments.of("\"P\":true", EdmType.BOOLEAN, true),
                Arguments.of("\"P\":39", EdmType.INT32, 39),
                Arguments.of("\"P\":2147483648", EdmType.DOUBLE, 2147483648.0),
                Arguments.of("\"P\":123456789012345678901234567890", EdmType.DOUBLE, 1.2345678901234568e29),
                Arguments.of("\"P\":1e5", EdmType.DOUBLE, 1e5),
                Arguments.of("\"P\":-0.0", EdmType.DOUBLE, -0.0),
                Arguments.of("\"P@odata.type\":\"Edm.Double\",\"P\":4", EdmType.DOUBLE, 4.0),
                Arguments.of("\"P\":39,\"P@odata.type\":\"Edm.Int64\"", EdmType.INT64, 39L),
                Arguments.of(
                        "\"P@odata.type\":\"Edm.DateTime\",\"P\":\"9999-12-31T23:59:59.9999999Z\"",
                        EdmType.DATETIME,
                        Ticks.MAX),
                Arguments.of(
                        "\"P@odata.type\":\"Edm.DateTime\",\"P\":\"1601-01-01T00:00:00Z\"",
                        EdmType.DATETIME,
                        Ticks.MIN),
                Arguments.of("\"P@odata.type\":\"Edm.DateTime\",\"P\":\"1970-01-01\"", EdmType.DATETIME, 0L),
                Arguments.of("\"P@odata.type\":\"Edm.DateTime\",\"P\":\"1970-01-01T00:00\"", EdmType.DATETIME, 0L),
                Arguments.of(
                        "\"P@odata.type\":\"Edm.DateTime\",\"P\":\"1970-01-01T00:00:01\"",
                        EdmType.DATETIME,
                        10_000_000L),
                Arguments.of(
                        "\"P@odata.type\":\"Edm.DateTime\",\"P\":\"1970-01-01T02:00:00.5+02:00\"",
                        EdmType.DATETIME,
                        5_000_000L));
    }

    /** The forms that .NET's parsers take beside those above: white space around, a plus, and four forms of a GUID. */
    static Stream<Arguments> textsOfDotNet() {
        UUID guid = UUID.fromString("a455c695-df98-5678-aaaa-81d3367e5a34");
        return Stream.of(
                Arguments.of("Edm.Int32", " 5\\t", EdmType.INT32, 5),
                Arguments.of("Edm.Int32", "+5", EdmType.INT32, 5),
                Arguments.of("Edm.Int64", "\\r\\n-5 ", EdmType.INT64, -5L),
                Arguments.of("Edm.Int64", "+9223372036854775807", EdmType.INT64, Long.MAX_VALUE),
                Arguments.of("Edm.Double", " 1.5\\u000b", EdmType.DOUBLE, 1.5),
                Arguments.of("Edm.Double", "+1.5E+2", EdmType.DOUBLE, 150.0),
                Arguments.of("Edm.Double", " -Infinity ", EdmType.DOUBLE, Double.NEGATIVE_INFINITY),
                Arguments.of("Edm.Boolean", " True\\n", EdmType.BOOLEAN, true),
                Arguments.of("Edm.DateTime", " 1970-01-01T00:00:00Z\\n", EdmType.DATETIME, 0L),
                Arguments.of("Edm.Guid", " a455c695-df98-5678-aaaa-81d3367e5a34\\n", EdmType.GUID, guid),
                Arguments.of("Edm.Guid", "{a455c695-df98-5678-aaaa-81d3367e5a34}", EdmType.GUID, guid),
                Arguments.of("Edm.Guid", "(A455C695-DF98-5678-AAAA-81D3367E5A34)", EdmType.GUID, guid),
                Arguments.of("Edm.Guid", "a455c695df985678aaaa81d3367e5a34", EdmType.GUID, guid));
    }

    @ParameterizedTest
    @MethodSource("textsOfDotNet")
    void textsAreReadAsDotNetReadsThem(String type, String text, EdmType read, Object value) {
        String members = "\"P@odata.type\":\"" + type + "\",\"P\":\"" + text + "\"";
        assertThat(only(members)).isEqualTo(new Property("P", read, value));
    }

    /** The encoder of Ruby breaks its lines. */
    @Test
    void whiteSpaceInBase64IsPassedOver() {
        Property property = only("\"P@odata.type\":\"Edm.Binary\",\"P\":\" AQ\\r\\nI\\t=\\n\"");
        assertThat((byte[]) property.value()).containsExactly(1, 2);
        assertThat((byte[])
                        only("\"P@odata.type\":\"Edm.Binary\",\"P\":\" \\n\"").value())
                .isEmpty();
        for (String refused : List.of("AQ\\u000bI=", "A Q I", "AQ\\u00a0I=", "AQI=\\u0000")) {
            Refused.with(
                    ServiceCode.INVALID_INPUT, () -> only("\"P@odata.type\":\"Edm.Binary\",\"P\":\"" + refused + "\""));
        }
    }

    /** The service takes UTF-8; the JSON library would find out by itself what else it is. */
    @Test
    void bodiesInUtf16AreRefusedWithTheReason() {
        String json = "{" + KEYS + "}";
        for (Charset other : List.of(
                StandardCharsets.UTF_16,
                StandardCharsets.UTF_16LE,
                StandardCharsets.UTF_16BE,
                Charset.forName("UTF-32LE"),
                Charset.forName("UTF-32BE"))) {
            ServiceError error = Refused.with(
                    ServiceCode.INVALID_INPUT,
                    () -> EntityJsonReader.read(Body.of(json.getBytes(other))).ofInsert());
            assertThat(error.text()).endsWith("The body is not UTF-8.");
        }
        assertThat(EntityJsonReader.read(Body.of("\ufeff" + json)).ofInsert().rowKey())
                .isEqualTo("r");
    }

    @ParameterizedTest
    @MethodSource("values")
    void valuesHaveTheTypeAnnotatedOrImplied(String members, EdmType type, Object value) {
        assertThat(only(members)).isEqualTo(new Property("P", type, value));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"P\":1e999",
                "\"P\":\"\\ud800\"",
                "\"P\":\"\",\"P@odata.type\":\"Edm.Int64\"",
                "\"P\":3.5,\"P@odata.type\":\"Edm.Int32\"",
                "\"P\":2147483648,\"P@odata.type\":\"Edm.Int32\"",
                "\"P\":5,\"P@odata.type\":\"Edm.String\"",
                "\"P\":\"0x1p3\",\"P@odata.type\":\"Edm.Double\"",
                "\"P\":\"2024-02-30\",\"P@odata.type\":\"Edm.DateTime\"",
                "\"P\":\"2024-02-03T25:00:00Z\",\"P@odata.type\":\"Edm.DateTime\"",
                "\"P\":\"2024-02-03 00:00:00Z\",\"P@odata.type\":\"Edm.DateTime\"",
                "\"P\":\"9999-12-31T23:59:59-01:00\",\"P@odata.type\":\"Edm.DateTime\"",
                "\"P\":\"1-2-3-4-5\",\"P@odata.type\":\"Edm.Guid\"",
                "\"P\":\"{a455c695-df98-5678-aaaa-81d3367e5a34\",\"P@odata.type\":\"Edm.Guid\"",
                "\"P\":\"{a455c695df985678aaaa81d3367e5a34}\",\"P@odata.type\":\"Edm.Guid\"",
                "\"P\":\"a455c695df985678aaaa81d3367e5a3-\",\"P@odata.type\":\"Edm.Guid\"",
                "\"P\":\"{0xa455c695,0xdf98,0x5678,{0xaa,0xaa,0x81,0xd3,0x36,0x7e,0x5a,0x34}}\",\"P@odata.type\":\"Edm.Guid\"",
                "\"P\":\"+-5\",\"P@odata.type\":\"Edm.Int64\"",
                "\"P\":\" \",\"P@odata.type\":\"Edm.Int64\"",
                "\"P\":\"1,000\",\"P@odata.type\":\"Edm.Int64\"",
                "\"P\":\"1,000.5\",\"P@odata.type\":\"Edm.Double\"",
                "\"P\":\"1 5\",\"P@odata.type\":\"Edm.Double\"",
                "\"P\":\"05/01/2024 08:00:00\",\"P@odata.type\":\"Edm.DateTime\"",
                "\"P\":\"2024-05\",\"P@odata.type\":\"Edm.DateTime\"",
                "\"P\":\"2024-05-01T24:00:00Z\",\"P@odata.type\":\"Edm.DateTime\"",
                "\"P\":1,\"P@odata.type\":\"Edm.Single\"",
                "\"P\":1,\"P@odata.type\":5"
            })
    void wrongValuesAreInvalidInput(String members) {
        ServiceError error = Refused.with(ServiceCode.INVALID_INPUT, () -> insert(members));
        assertThat(error.text()).startsWith("An error occurred while processing this request.");
    }

    @Test
    void nullsAndControlMembersAndTimestampAreNotKept() {
        EntityBody body = insert(
                "\"A\":null,\"odata.etag\":\"W/\\\"x\\\"\",\"odata.metadata\":{\"x\":[1]},"
                        + "\"Timestamp\":null,\"Timestamp@odata.type\":\"Edm.DateTime\",\"B\":1,\"Missing@odata.type\":\"Edm.Guid\"");
        assertThat(body.entity().properties()).containsExactly(new Property("B", EdmType.INT32, 1));
        assertThat(body.partitionKey()).isEqualTo("p");
        assertThat(body.rowKey()).isEqualTo("r");
    }

    @Test
    void keysMayBeAnnotatedAsStrings() {
        EntityBody body = EntityJsonReader.read(
                        Body.of("{\"PartitionKey@odata.type\":\"Edm.String\",\"PartitionKey\":\"\",\"RowKey\":\"\"}"))
                .ofInsert();
        assertThat(body.partitionKey()).isEmpty();
    }

    static Stream<Arguments> badInserts() {
        String longKey = "k".repeat(513);
        return Stream.of(
                Arguments.of("{\"PartitionKey\":\"p\"}", ServiceCode.PROPERTIES_NEED_VALUE),
                Arguments.of("{}", ServiceCode.PROPERTIES_NEED_VALUE),
                Arguments.of(
                        "{\"PartitionKey\":\"1\",\"RowKey\":\"r\",\"RowKey@odata.type\":\"Edm.Int64\"}",
                        ServiceCode.PRIMARY_KEY_PROPERTY_IS_INVALID_TYPE),
                Arguments.of("{\"PartitionKey\":\"a\",\"RowKey\":\"\\udc00\"}", ServiceCode.OUT_OF_RANGE_INPUT),
                Arguments.of(
                        "{\"PartitionKey\":\"" + longKey + "\",\"RowKey\":\"r\"}", ServiceCode.KEY_VALUE_TOO_LARGE),
                Arguments.of("{" + KEYS + ",\"A\":null,\"A\":null}", ServiceCode.DUPLICATE_PROPERTIES_SPECIFIED),
                Arguments.of("{" + KEYS + ",\"\":1}", ServiceCode.PROPERTY_NAME_INVALID),
                Arguments.of("null", ServiceCode.INVALID_INPUT),
                Arguments.of("{" + KEYS, ServiceCode.INVALID_INPUT),
                Arguments.of("{" + KEYS + "}}", ServiceCode.INVALID_INPUT),
                Arguments.of("{" + KEYS + "} {}", ServiceCode.INVALID_INPUT),
                Arguments.of("{'PartitionKey':'p'}", ServiceCode.INVALID_INPUT),
                Arguments.of("{\"odata.x\":" + "[".repeat(100_000), ServiceCode.INVALID_INPUT),
                Arguments.of("{\"a\":" + "9".repeat(100_000) + "}", ServiceCode.INVALID_INPUT));
    }

    @ParameterizedTest
    @MethodSource("badInserts")
    void wrongBodiesGetTheContractsError(String body, ServiceCode code) {
        Refused.with(code, () -> EntityJsonReader.read(Body.of(body)).ofInsert());
    }

    @Test
    void sizeIsThatOfTheCodec() {
        EntityBody body =
                insert("\"A\":\"zwölf😀\",\"B\":true,\"C\":1,\"D\":1.5,\"E\":\"5\",\"E@odata.type\":\"Edm.Int64\","
                        + "\"F\":\"AQI=\",\"F@odata.type\":\"Edm.Binary\",\"G\":\"2024-01-01\",\"G@odata.type\":\"Edm.DateTime\","
                        + "\"H\":\"a455c695-df98-5678-aaaa-81d3367e5a34\",\"H@odata.type\":\"Edm.Guid\"");
        long size = EntitySize.of("p", "r", body.entity().properties());
        assertThat(size).isEqualTo(EntityCodec.size(Key.of(1, "p", "r"), EntityCodec.encode(body.entity())));
    }

    @Test
    void countOfPropertiesIsBounded() {
        assertThat(insert(members(252)).entity().properties()).hasSize(252);
        Refused.with(ServiceCode.TOO_MANY_PROPERTIES, () -> insert(members(253)));
        Refused.with(ServiceCode.TOO_MANY_PROPERTIES, () -> insert(members(50_000)));
    }

    private static String members(int count) {
        return IntStream.range(0, count).mapToObj(i -> "\"P" + i + "\":" + i).collect(Collectors.joining(","));
    }

    @Test
    void updatesTakeTheirKeysFromTheAddress() {
        EntityBody body = EntityJsonReader.read(Body.of("{\"A\":1,\"RowKey\":\"r\",\"PartitionKey\":null}"))
                .ofUpdate(ADDRESS);
        assertThat(body.partitionKey()).isEqualTo("p");
        assertThat(body.rowKey()).isEqualTo("r");
        assertThat(body.entity().properties()).containsExactly(new Property("A", EdmType.INT32, 1));
        assertThat(new EntityMembers().ofUpdate(ADDRESS).entity().properties()).isEmpty();
        assertThat(EntityJsonReader.read(Body.of("{}"))
                        .ofUpdate(ADDRESS)
                        .entity()
                        .properties())
                .isEmpty();
        Refused.with(
                ServiceCode.INVALID_INPUT,
                () -> EntityJsonReader.read(Body.of("{\"RowKey\":\"other\"}")).ofUpdate(ADDRESS));
    }
}
