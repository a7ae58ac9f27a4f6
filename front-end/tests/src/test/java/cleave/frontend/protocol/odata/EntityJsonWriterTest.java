package cleave.frontend.protocol.odata;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.model.Key;
import cleave.model.entity.EdmType;
import cleave.model.entity.Entity;
import cleave.model.entity.EntityCodec;
import cleave.model.entity.Property;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EntityJsonWriterTest {
    private static final BaseUri BASE = new BaseUri("acct", "http://127.0.0.1:10002/acct");
    private static final Key KEY = Key.of(1, "p", "r");
    private static final long TICKS = 17_145_504_000_000_000L + 1_234_567;
    private static final String ETAG = "W/\\\"datetime'2024-05-01T08%3A00%3A00.1234567Z'\\\"";
    private static final String METADATA = "http://127.0.0.1:10002/acct/$metadata#Orders";

    private static byte[] stored(Property... properties) {
        return EntityCodec.encode(new Entity(TICKS, List.of(properties)));
    }

    private static JsonAnswer answer(MetadataLevel level, String select) {
        return new JsonAnswer(BASE, "Orders", level, Selection.parse(select.equals("-") ? null : select));
    }

    private static String entity(MetadataLevel level, String select, Property... properties) {
        return text(EntityJsonWriter.entity(answer(level, select), KEY, stored(properties)));
    }

    private static String text(byte[] json) {
        return new String(json, StandardCharsets.UTF_8);
    }

    private static final Property[] ALL = {
        new Property("S", EdmType.STRING, "zw\u00f6lf \"\\\n\u0001\ud83d\ude00"),
        new Property("B", EdmType.BOOLEAN, true),
        new Property("I", EdmType.INT32, 39),
        new Property("D", EdmType.DOUBLE, 3.0),
        new Property("N", EdmType.INT64, 39L),
        new Property("T", EdmType.DATETIME, 5_000_000L),
        new Property("G", EdmType.GUID, UUID.fromString("a455c695-df98-5678-aaaa-81d3367e5a34")),
        new Property("Y", EdmType.BINARY, new byte[] {1, 2}),
        new Property("X", EdmType.DOUBLE, Double.NaN),
    };

    /** The generator gives what it has written in one piece or in several, depending on the length. */
    @ParameterizedTest
    @ValueSource(ints = {0, 3_900, 4_100, 7_900, 8_100, 65_000})
    void textsOfAllLengthsAreWrittenWhole(int length) {
        String text = "\u00e9".repeat(length / 2);
        assertThat(entity(MetadataLevel.NONE, "S", new Property("S", EdmType.STRING, text)))
                .isEqualTo("{\"S\":\"" + text + "\"}");
        String escaped = "\"".repeat(length / 2); // Twice as long in JSON.
        assertThat(entity(MetadataLevel.NONE, "S", new Property("S", EdmType.STRING, escaped)))
                .isEqualTo("{\"S\":\"" + "\\\"".repeat(length / 2) + "\"}");
    }

    @Test
    void selectedMissingPropertiesAreNullWithoutAnnotation() {
        assertThat(entity(MetadataLevel.MINIMAL, "RowKey,N,Missing", ALL))
                .isEqualTo("{\"odata.metadata\":\"" + METADATA
                        + "/@Element&$select=RowKey,N,Missing\",\"odata.etag\":\"" + ETAG
                        + "\",\"RowKey\":\"r\",\"N@odata.type\":\"Edm.Int64\",\"N\":\"39\",\"Missing\":null}");
        assertThat(entity(MetadataLevel.NONE, "Missing", ALL)).isEqualTo("{\"Missing\":null}");
        assertThat(entity(MetadataLevel.NONE, "Missing,odata.etag,N@odata.type", ALL))
                .isEqualTo("{\"Missing\":null}");
    }

    @Test
    void listsCarryTheMetadataOnceAtTheTop() {
        EntityListWriter minimal = new EntityListWriter(answer(MetadataLevel.MINIMAL, "I"));
        minimal.add(KEY, stored(new Property("I", EdmType.INT32, 1)));
        minimal.add(Key.of(1, "p", "s"), stored());
        long size = minimal.size();
        String page = text(minimal.finish().bytes());
        assertThat(page)
                .isEqualTo("{\"odata.metadata\":\"" + METADATA + "&$select=I\",\"value\":[{\"odata.etag\":\"" + ETAG
                        + "\",\"I\":1},{\"odata.etag\":\"" + ETAG + "\",\"I\":null}]}");
        assertThat(size).isEqualTo(page.length() - "]}".length());
        assertThat(text(new EntityListWriter(answer(MetadataLevel.NONE, "-"))
                        .finish()
                        .bytes()))
                .isEqualTo("{\"value\":[]}");
    }

    @Test
    void doublesAlwaysHaveAFractionOrAnExponent() {
        double[] values = {0, -0.0, 1, 3, 1e10, 1e-10, 1e22, 4.9e-324, 1.7976931348623157e308, 123456789.0, 1e16};
        for (double value : values) {
            String json = entity(MetadataLevel.NONE, "D", new Property("D", EdmType.DOUBLE, value));
            String number = json.substring("{\"D\":".length(), json.length() - 1);
            assertThat(number).containsAnyOf(".", "E");
            assertThat(Double.parseDouble(number)).isEqualTo(value);
        }
        assertThat(entity(MetadataLevel.NONE, "D", new Property("D", EdmType.DOUBLE, 1e22)))
                .isEqualTo("{\"D\":1.0E22}");
    }

    @Test
    void baseHasTheAccountInPathStyleOnly() {
        ResourceAddress path = ResourceAddress.parse("/acct-secondary/Orders", "h:1", AddressStyle.PATH);
        assertThat(BaseUri.of("http", "h:1", path).text()).isEqualTo("http://h:1/acct-secondary");
        ResourceAddress host = ResourceAddress.parse("/Orders", "acct.table.net", AddressStyle.HOST);
        assertThat(BaseUri.of("https", "acct.table.net", host))
                .isEqualTo(new BaseUri("acct", "https://acct.table.net"));
    }
}
