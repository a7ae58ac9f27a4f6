package cleave.frontend.protocol.atom;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.frontend.protocol.odata.AddressStyle;
import cleave.frontend.protocol.odata.BaseUri;
import cleave.frontend.protocol.odata.Body;
import cleave.frontend.protocol.odata.EntityBody;
import cleave.frontend.protocol.odata.EntityPage;
import cleave.frontend.protocol.odata.EntityView;
import cleave.frontend.protocol.odata.Payload;
import cleave.frontend.protocol.odata.QueryOptions;
import cleave.frontend.protocol.odata.QueryString;
import cleave.frontend.protocol.odata.ResourceAddress;
import cleave.frontend.protocol.odata.Selection;
import cleave.frontend.protocol.odata.ServiceCode;
import cleave.model.Key;
import cleave.model.Ticks;
import cleave.model.entity.EdmType;
import cleave.model.entity.Entity;
import cleave.model.entity.EntityCodec;
import cleave.model.entity.Property;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class AtomFormatTest {
    private static final long NOW = 17_145_504_000_000_000L + 1_234_500;
    private static final String HEAD = "<?xml version=\"1.0\" encoding=\"utf-8\"?>";
    private static final BaseUri BASE = BaseUri.of(
            "http", "127.0.0.1:10002", ResourceAddress.parse("/acct/Orders", "127.0.0.1", AddressStyle.PATH));
    private static final AtomFormat ATOM = new AtomFormat(NOW);

    private static String text(Payload payload) {
        return new String(payload.bytes(), StandardCharsets.UTF_8);
    }

    private static Selection selection(String query) {
        return QueryOptions.ofEntityQuery(QueryString.parse(query)).selection();
    }

    private static byte[] stored(Property... properties) {
        return EntityCodec.encode(new Entity(NOW, List.of(properties)));
    }

    private static String entity(Selection selection, String partitionKey, Property... properties) {
        return text(ATOM.entity(
                new EntityView(BASE, "Orders", selection), Key.of(7, partitionKey, "r"), stored(properties)));
    }

    /** The text between the tags of the properties. */
    private static String properties(String document) {
        return document.substring(
                document.indexOf("<m:properties>") + "<m:properties>".length(), document.indexOf("</m:properties>"));
    }

    @Test
    void doublesThatAreNotFiniteHaveTheNamesOfXml() {
        assertThat(properties(entity(
                        selection("$select=N,P"),
                        "p",
                        new Property("N", EdmType.DOUBLE, Double.NaN),
                        new Property("P", EdmType.DOUBLE, Double.POSITIVE_INFINITY))))
                .isEqualTo("<d:N m:type=\"Edm.Double\">NaN</d:N><d:P m:type=\"Edm.Double\">INF</d:P>");
    }

    @Test
    void whatATableDoesNotHaveIsNull() {
        assertThat(properties(text(ATOM.table(BASE, selection("$select=Other,TableName"), "Orders"))))
                .isEqualTo("<d:Other m:null=\"true\"/><d:TableName>Orders</d:TableName>");
    }

    @Test
    void aPageIsAFeedAndKnowsItsSize() {
        EntityPage page = ATOM.entities(new EntityView(BASE, "Orders", Selection.ALL));
        for (int i = 0; i < 100; i++) {
            page.add(Key.of(7, "p", "r" + i), stored(new Property("A", EdmType.STRING, "x".repeat(1000))));
        }
        assertThat(page.size()).isBetween(150_000L, 200_000L);
        String feed = text(page.finish());
        assertThat(feed).startsWith(HEAD + "<feed ").endsWith("</entry></feed>");
        assertThat(feed.split("<entry m:etag=", -1)).hasSize(101);
    }

    /** A character that XML cannot hold is a reference: strict parsers refuse it, as they did the service's, and none is lost silently. */
    @Test
    void textsAreEscaped() {
        String text = "<&>\"'\r\n\t \ud83d\ude00 \u0001\uffff ]]>";
        assertThat(properties(entity(selection("$select=A"), "p", new Property("A", EdmType.STRING, text))))
                .isEqualTo("<d:A>&lt;&amp;&gt;\"'&#xd;\n\t \ud83d\ude00 &#x1;&#xffff; ]]&gt;</d:A>");
    }

    @Test
    void whatIsWrittenIsReadAgain() {
        String text = " <&>\"'\r\n\t zwölf 名前 \ud83d\ude00 ]]> ";
        Property[] properties = {
            new Property("S", EdmType.STRING, text),
            new Property("D", EdmType.DOUBLE, Double.NEGATIVE_INFINITY),
            new Property("T", EdmType.DATETIME, Ticks.MAX),
            new Property("größe", EdmType.INT64, Long.MIN_VALUE)
        };
        EntityBody read =
                AtomReader.read(Body.of(entity(Selection.ALL, "p", properties))).ofInsert();
        assertThat(read.partitionKey()).isEqualTo("p");
        assertThat(read.entity().properties()).containsExactly(properties);
    }

    @Test
    void errorsHaveNoPrefixes() {
        Payload error = ATOM.error(ServiceCode.INVALID_INPUT, "a<b>&\u0001\ud800", "id-1", 0);
        assertThat(error.contentType()).isEqualTo("application/xml;charset=utf-8");
        assertThat(text(error))
                .isEqualTo(HEAD + "<error xmlns=\"http://schemas.microsoft.com/ado/2007/08/dataservices/metadata\">"
                        + "<code>InvalidInput</code><message xml:lang=\"en-US\">a&lt;b&gt;&amp;&#x1;\ufffd\n"
                        + "RequestId:id-1\nTime:1970-01-01T00:00:00.0000000Z</message></error>");
    }
}
