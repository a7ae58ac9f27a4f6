package cleave.frontend.protocol.odata;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.model.Key;
import cleave.model.Ticks;
import cleave.model.entity.EdmType;
import cleave.model.entity.Entity;
import cleave.model.entity.EntityCodec;
import cleave.model.entity.Property;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Provide;

/** Entities that were written can be read again; text that cannot be read is refused and nothing worse. */
class EntityJsonPropertyTest {
    private static final BaseUri BASE = new BaseUri("acct", "http://127.0.0.1:10002/acct");

    @Provide
    Arbitrary<List<Property>> properties() {
        return property()
                .list()
                .ofMaxSize(12)
                .map(unnamed -> IntStream.range(0, unnamed.size())
                        .mapToObj(i -> new Property(
                                "P" + i, unnamed.get(i).type(), unnamed.get(i).value()))
                        .toList());
    }

    private static Arbitrary<Property> property() {
        Arbitrary<Property> text = value(EdmType.STRING, wholeText());
        Arbitrary<Property> binary =
                value(EdmType.BINARY, Arbitraries.bytes().array(byte[].class).ofMaxSize(20));
        Arbitrary<Property> bool = value(EdmType.BOOLEAN, Arbitraries.of(true, false));
        Arbitrary<Property> int32 = value(EdmType.INT32, Arbitraries.integers());
        Arbitrary<Property> int64 = value(EdmType.INT64, Arbitraries.longs());
        Arbitrary<Property> real = value(
                EdmType.DOUBLE,
                Arbitraries.longs()
                        .map(Double::longBitsToDouble)
                        .map(d -> Double.isNaN(d) ? Double.NaN : d)
                        .edgeCases(config -> config.add(Double.POSITIVE_INFINITY, -0.0, 3.0)));
        Arbitrary<Property> time = value(EdmType.DATETIME, Arbitraries.longs().between(Ticks.MIN, Ticks.MAX));
        Arbitrary<Property> guid = value(
                EdmType.GUID,
                Combinators.combine(Arbitraries.longs(), Arbitraries.longs()).as(UUID::new));
        return Arbitraries.oneOf(text, binary, bool, int32, int64, real, time, guid);
    }

    private static Arbitrary<Property> value(EdmType type, Arbitrary<?> values) {
        return values.map(value -> new Property("", type, value));
    }

    static Arbitrary<String> wholeText() {
        return Arbitraries.strings().all().ofMaxLength(20).filter(cleave.model.Utf8::isWhole);
    }

    @Provide
    Arbitrary<String> keys() {
        return Arbitraries.oneOf(
                        wholeText(),
                        Arbitraries.strings()
                                .withChars("aA1 '%+,()=;&~!\"<>|\u00fc\u20ac")
                                .ofMaxLength(8))
                .filter(EntityJsonPropertyTest::isLegalKey);
    }

    private static boolean isLegalKey(String key) {
        return key.chars().noneMatch(c -> c < 0x20 || (c >= 0x7f && c <= 0x9f) || "/\\#?".indexOf(c) >= 0);
    }

    @net.jqwik.api.Property(tries = 300)
    void entitiesComeBackEqualAtEachLevelThatTellsTypes(
            @ForAll("keys") String partitionKey,
            @ForAll("keys") String rowKey,
            @ForAll("properties") List<Property> properties) {
        byte[] stored = EntityCodec.encode(new Entity(1, properties));
        for (MetadataLevel level : List.of(MetadataLevel.MINIMAL, MetadataLevel.FULL)) {
            JsonAnswer answer = new JsonAnswer(BASE, "Orders", level, Selection.ALL);
            byte[] json = EntityJsonWriter.entity(answer, Key.of(1, partitionKey, rowKey), stored);
            EntityBody read = EntityJsonReader.read(Body.of(json)).ofInsert();
            assertThat(read.partitionKey()).isEqualTo(partitionKey);
            assertThat(read.rowKey()).isEqualTo(rowKey);
            assertThat(EntityCodec.encode(new Entity(1, read.entity().properties())))
                    .isEqualTo(stored);
        }
    }

    @net.jqwik.api.Property(tries = 300)
    void entitiesWithoutMetadataComeBackUnderTheSameNames(@ForAll("properties") List<Property> properties) {
        JsonAnswer answer = new JsonAnswer(BASE, "Orders", MetadataLevel.NONE, Selection.ALL);
        byte[] json =
                EntityJsonWriter.entity(answer, Key.of(1, "p", "r"), EntityCodec.encode(new Entity(1, properties)));
        assertThat(EntityJsonReader.read(Body.of(json)).ofInsert().entity().properties())
                .extracting(Property::name)
                .isEqualTo(properties.stream().map(Property::name).toList());
    }

    @net.jqwik.api.Property(tries = 500)
    void keysComeBackFromAddresses(@ForAll("keys") String partitionKey, @ForAll("keys") String rowKey) {
        Resource named = new Resource.EntityAddress("Orders", partitionKey, rowKey);
        String encoded = "/acct/Orders(PartitionKey='" + encoded(partitionKey) + "',RowKey='" + encoded(rowKey) + "')";
        assertThat(ResourceAddress.parse(encoded, "", AddressStyle.PATH).resource())
                .isEqualTo(named);
        assertThat(ResourceAddress.parse(encoded.replace("'", "%27"), "", AddressStyle.PATH)
                        .resource())
                .isEqualTo(named);
    }

    private static String encoded(String key) {
        return URLEncoder.encode(key.replace("'", "''"), StandardCharsets.UTF_8).replace("+", "%20");
    }

    @net.jqwik.api.Property(tries = 500)
    void keysComeBackFromTokens(@ForAll("keys") String partitionKey, @ForAll("keys") String rowKey) {
        Key key = Key.of(5, partitionKey, rowKey);
        ContinuationToken token = ContinuationToken.ofEntities(key);
        assertThat(token.nextPartitionKey()).matches("1![0-9]+![A-Za-z0-9_.-]*");
        ContinuationToken parsed =
                Objects.requireNonNull(ContinuationToken.parseEntities(token.nextPartitionKey(), token.nextRowKey()));
        assertThat(parsed.key(5)).isEqualTo(key);
    }

    @Provide
    Arbitrary<String> nearlyJson() {
        Arbitrary<String> piece = Arbitraries.of(
                ("{ } [ ] , : \"PartitionKey\" \"RowKey\" \"Timestamp\" \"P\" \"P@odata.type\" \"odata.etag\" "
                                + "\"Edm.Int64\" \"Edm.Foo\" \"x\" \"\\ud800\" 1 1.5e400 - null true \u00fc \" \\")
                        .split(" "));
        return piece.list().ofMaxSize(30).map(pieces -> String.join("", pieces));
    }

    @net.jqwik.api.Property(tries = 2000)
    void anyBodyIsReadOrRefused(@ForAll("nearlyJson") String text) {
        Refused.orFine(() -> EntityJsonReader.read(Body.of(text)).ofInsert());
        Refused.orFine(() -> EntityJsonReader.read(Body.of("{\"PartitionKey\":\"p\",\"RowKey\":\"r\"," + text + "}"))
                .ofInsert());
        Refused.orFine(() -> TableJson.readCreate(Body.of(text)));
    }

    @net.jqwik.api.Property(tries = 500)
    void anyBytesAreReadOrRefused(@ForAll byte[] bytes) {
        Refused.orFine(() -> EntityJsonReader.read(Body.of(bytes)).ofInsert());
        Refused.orFine(() -> TableJson.readCreate(Body.of(bytes)));
    }

    @net.jqwik.api.Property(tries = 500)
    void anyTextsAreReadOrRefused(@ForAll String text) {
        Refused.orFine(() -> ResourceAddress.parse("/acct/" + text, text, AddressStyle.BY_HOST));
        Refused.orFine(() -> ResourceAddress.parse(text, text, AddressStyle.BY_HOST));
        Refused.orFine(() -> QueryOptions.ofEntityQuery(QueryString.parse(text)));
        Refused.orFine(() -> QueryOptions.ofTableQuery(QueryString.parse("NextTableName=" + text + "&$top=" + text)));
        Refused.orFine(() -> QueryOptions.timeoutSeconds(QueryString.parse("timeout=" + text)));
        Refused.orFine(() -> FilterParser.parse(text));
        Refused.orFine(() -> IfMatch.ofDelete(name -> name.equals("If-Match") ? List.of(text) : List.of()));
        Refused.orFine(() -> IfMatch.known(name -> name.equals("If-None-Match") ? List.of(text) : List.of()));
        Refused.orFine(() -> IfMatch.ofUpdate(name -> name.equals("If-Match") ? List.of("W/\"" + text) : List.of()));
        Refused.orFine(() -> MetadataLevel.negotiate(text, text));
        Refused.orFine(() -> TableName.check(text));
        assertThat(Prefer.parse(text)).isNotNull();
    }

    @Provide
    Arbitrary<String> nearlyFilters() {
        Arbitrary<String> piece = Arbitraries.of(
                ("( ) not and or eq lt A PartitionKey 'x' ' 5 - 5L 1.5 1e null true datetime'2024-01-01' "
                                + "datetime'x' guid' X'0' add f( #")
                        .split(" "));
        return piece.list().ofMaxSize(14).map(pieces -> String.join(" ", pieces));
    }

    @net.jqwik.api.Property(tries = 3000)
    void anyFilterIsReadOrRefused(@ForAll("nearlyFilters") String text) {
        Refused.orFine(() -> FilterParser.parse(text));
    }
}
