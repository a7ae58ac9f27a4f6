package cleave.frontend.protocol.atom;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.frontend.protocol.odata.Body;
import cleave.frontend.protocol.odata.EntityBody;
import cleave.frontend.protocol.odata.ServiceCode;
import cleave.frontend.protocol.odata.ServiceError;
import cleave.model.entity.EdmType;
import cleave.model.entity.Property;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AtomReaderTest {
    private static final String SPACES = " xmlns='http://www.w3.org/2005/Atom'"
            + " xmlns:d='http://schemas.microsoft.com/ado/2007/08/dataservices'"
            + " xmlns:m='http://schemas.microsoft.com/ado/2007/08/dataservices/metadata'";
    private static final String KEYS = "<d:PartitionKey>p</d:PartitionKey><d:RowKey>r</d:RowKey>";

    private static String entry(String properties) {
        return "<?xml version='1.0' encoding='utf-8' standalone='yes'?>\n<entry" + SPACES + ">\n <title />"
                + "<updated>2013-05-09T10:47:27Z</updated><author><name /></author><id />\n"
                + " <content type='application/xml'>\n  <m:properties>" + properties
                + "</m:properties>\n </content>\n</entry>\n";
    }

    private static EntityBody insert(String properties) {
        return AtomReader.read(Body.of(entry(properties))).ofInsert();
    }

    private static ServiceCode refusal(String document) {
        try {
            AtomReader.read(Body.of(document)).ofInsert();
            throw new AssertionError("read: " + document);
        } catch (ServiceError refused) {
            return refused.code();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "'<d:P>text</d:P>', STRING, text",
        "'<d:P></d:P>', STRING, ''",
        "'<d:P/>', STRING, ''",
        "'<d:P> a &lt;&amp;&#65; <![CDATA[<b>]]><!-- no --> </d:P>', STRING, ' a <&A <b> '",
        "'<d:P m:type=''Edm.String''>5</d:P>', STRING, 5",
        "'<d:P m:type=''Edm.Int32''> 5 </d:P>', INT32, 5",
        "'<d:P m:type=''Edm.Int64''>-5</d:P>', INT64, -5",
        "'<d:P m:type=''Edm.Double''>4</d:P>', DOUBLE, 4.0",
        "'<d:P m:type=''Edm.Double''>NaN</d:P>', DOUBLE, NaN",
        "'<d:P m:type=''Edm.Double''>INF</d:P>', DOUBLE, Infinity",
        "'<d:P m:type=''Edm.Double''>-INF</d:P>', DOUBLE, -Infinity",
        "'<d:P m:type=''Edm.Double''>-Infinity</d:P>', DOUBLE, -Infinity",
        "'<d:P m:type=''Edm.Boolean''>true</d:P>', BOOLEAN, true",
        "'<d:P m:type=''Edm.Boolean''>0</d:P>', BOOLEAN, false",
        "'<d:P m:type=''Edm.DateTime''>1970-01-01T00:00:00Z</d:P>', DATETIME, 0",
        "'<d:P m:type=''Edm.Guid''>A455C695-DF98-5678-AAAA-81D3367E5A34</d:P>', GUID, a455c695-df98-5678-aaaa-81d3367e5a34"
    })
    void propertiesHaveTheTypeThatTheySay(String property, EdmType type, String value) {
        Property read = insert(KEYS + property).entity().properties().get(0);
        assertThat(read.type()).isEqualTo(type);
        assertThat(String.valueOf(read.value())).isEqualTo(value);
    }

    @Test
    void nullsAndTheTimestampAreNotKept() {
        EntityBody body = insert(KEYS + "<d:A m:null='true' /><d:B m:type='Edm.Int32' m:null='1'></d:B>"
                + "<d:Timestamp m:type='Edm.DateTime'>0001-01-01T00:00:00</d:Timestamp>"
                + "<d:C m:type='Edm.Binary' m:null='false'>AQI=</d:C>");
        assertThat(body.entity().properties()).extracting(Property::name).containsExactly("C");
        assertThat(body.partitionKey()).isEqualTo("p");
        assertThat(body.rowKey()).isEqualTo("r");
    }

    @Test
    void theLimitsAreThoseOfJson() {
        assertThat(refusal(entry("<d:PartitionKey>p</d:PartitionKey>"))).isEqualTo(ServiceCode.PROPERTIES_NEED_VALUE);
        assertThat(refusal(entry(KEYS + "<d:RowKey>s</d:RowKey>")))
                .isEqualTo(ServiceCode.DUPLICATE_KEY_PROPERTY_SPECIFIED);
        assertThat(refusal(entry(KEYS + "<d:A>1</d:A><d:A>2</d:A>")))
                .isEqualTo(ServiceCode.DUPLICATE_PROPERTIES_SPECIFIED);
        assertThat(refusal(entry(KEYS + "<d:a-b>1</d:a-b>"))).isEqualTo(ServiceCode.PROPERTY_NAME_INVALID);
        assertThat(refusal(entry(KEYS + "<d:A m:type='Edm.Int32'>five</d:A>"))).isEqualTo(ServiceCode.INVALID_INPUT);
        assertThat(refusal(entry(KEYS + "<d:A m:type='Edm.Nothing'>5</d:A>"))).isEqualTo(ServiceCode.INVALID_INPUT);
        assertThat(refusal(entry(KEYS + "<d:A>" + "x".repeat(32 * 1024 + 1) + "</d:A>")))
                .isEqualTo(ServiceCode.PROPERTY_VALUE_TOO_LARGE);
        assertThat(refusal(entry(KEYS + properties(2000)))).isEqualTo(ServiceCode.TOO_MANY_PROPERTIES);
    }

    private static String properties(int count) {
        StringBuilder properties = new StringBuilder();
        for (int i = 0; i < count; i++) {
            properties.append("<d:P").append(i).append(">1</d:P").append(i).append('>');
        }
        return properties.toString();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{}",
                "<entry/>",
                "<feed xmlns='http://www.w3.org/2005/Atom'/>",
                "<!DOCTYPE entry><entry/>",
                "<!DOCTYPE entry [<!ENTITY e SYSTEM 'file:///etc/passwd'>]>"
                        + "<entry xmlns='http://www.w3.org/2005/Atom'>&e;</entry>",
                "<entry xmlns='http://www.w3.org/2005/Atom'>text</entry>",
                "<entry xmlns='http://www.w3.org/2005/Atom'><content/></entry>",
                "<entry xmlns='http://www.w3.org/2005/Atom'><content>text</content></entry>",
                "<entry xmlns='http://www.w3.org/2005/Atom'><content><properties/></content></entry>",
                "<entry xmlns='http://www.w3.org/2005/Atom'><id></entry>",
                "<entry xmlns='http://www.w3.org/2005/Atom'/><entry xmlns='http://www.w3.org/2005/Atom'/>"
            })
    void whatIsNoEntryIsInvalidInput(String document) {
        assertThat(refusal(document)).isEqualTo(ServiceCode.INVALID_INPUT);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "text",
                "<d:A><d:B/></d:A>",
                "<A>1</A>",
                "<d:A>&undefined;</d:A>",
                "<d:A>&#0;</d:A>",
                "<d:A>\u0001</d:A>",
                "<m:properties/>"
            })
    void whatIsNoPropertyIsInvalidInput(String property) {
        assertThat(refusal(entry(KEYS + property))).isEqualTo(ServiceCode.INVALID_INPUT);
    }

    @Test
    void twoContentsAreOneTooMany() {
        String document = entry(KEYS);
        String content = document.substring(document.indexOf(" <content"), document.indexOf("</entry>"));
        assertThat(refusal(document.replace("</entry>", content + "</entry>"))).isEqualTo(ServiceCode.INVALID_INPUT);
    }

    @Test
    void anEntryWithoutContentHasNoProperty() {
        assertThat(refusal("<entry xmlns='http://www.w3.org/2005/Atom'/>"))
                .isEqualTo(ServiceCode.PROPERTIES_NEED_VALUE);
    }

    @Test
    void whatIsNotUtf8IsRefused() {
        for (byte[] bytes : new byte[][] {
            entry(KEYS).getBytes(StandardCharsets.UTF_16), {'<', (byte) 0xff, '>'},
        }) {
            try {
                AtomReader.read(Body.of(bytes));
                throw new AssertionError("read");
            } catch (ServiceError refused) {
                assertThat(refused.text()).endsWith("no well-formed Atom entry in UTF-8.");
            }
        }
        assertThat(AtomReader.read(Body.of("\ufeff" + entry(KEYS))).ofInsert().rowKey())
                .isEqualTo("r");
    }

    /** A depth costs memory in the library, element by element. */
    @Test
    void whatIsPassedOverIsNotDeep() {
        String deep = "<entry xmlns='http://www.w3.org/2005/Atom'>" + "<a>".repeat(1 << 20);
        assertThat(refusal(deep)).isEqualTo(ServiceCode.INVALID_INPUT);
    }
}
