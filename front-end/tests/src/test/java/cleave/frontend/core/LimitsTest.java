package cleave.frontend.core;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.frontend.request.Answer;
import cleave.model.Key;
import cleave.model.KeyRange;
import java.util.Base64;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every limit of an entity holds for every kind of write, alone and in a transaction. What a merge makes is the server's to judge. */
class LimitsTest {
    private static final String TOO_LARGE =
            "The property value exceeds the maximum allowed size (64KB). If the property value is a string, it is UTF-16"
                    + " encoded and the maximum number of characters should be 32K or less.";
    private static final String MALFORMED = "An error occurred while processing this request.";

    private final CoreClient client = new CoreClient();
    private long table;

    @BeforeEach
    void makeEntity() {
        table = client.table("Orders");
        client.entity(table, "p", "r", 1);
    }

    /** A way to write. */
    private enum Kind {
        INSERT("POST", ""),
        REPLACE("PUT", "If-Match: *\r\n"),
        INSERT_OR_REPLACE("PUT", ""),
        MERGE("PATCH", "If-Match: *\r\n"),
        TUNNELLED_MERGE("POST", "If-Match: *\r\nX-HTTP-Method: MERGE\r\n"),
        INSERT_OR_MERGE("MERGE", "");

        private final String verb;
        private final String headers;

        Kind(String verb, String headers) {
            this.verb = verb;
            this.headers = headers;
        }

        boolean needsKeysInBody() {
            return this == INSERT;
        }
    }

    private static String string(int chars) {
        return "\"" + "x".repeat(chars) + "\"";
    }

    private static String binary(int bytes) {
        String base64 = Base64.getEncoder().encodeToString(new byte[bytes]);
        return "\"P@odata.type\":\"Edm.Binary\",\"P\":\"" + base64 + "\"";
    }

    private static String typed(String type, String value) {
        return "\"P\":" + value + ",\"P@odata.type\":\"Edm." + type + "\"";
    }

    private static String members(int count) {
        return IntStream.range(0, count).mapToObj(i -> "\"P" + i + "\":" + i).collect(Collectors.joining(","));
    }

    /**
     * An entity with keys of four characters together: 4 + 2 * 4 for the keys, 8 + 2 * 2 + 4 + 2 * 32768 for each of 15 texts, and 8
     * + 2 * 2 + 4 for the last one besides its own characters.
     */
    private static String entity(int bytes) {
        int rest = bytes - 4 - 2 * 4 - 15 * (16 + 2 * 32768) - 16;
        return IntStream.range(10, 25)
                .mapToObj(i -> "\"T" + (char) ('A' + i - 10) + "\":" + string(32768))
                .collect(Collectors.joining(",", "", ",\"TZ\":" + string(rest / 2)));
    }

    static Stream<Arguments> legal() {
        return Stream.of(
                        "\"" + "n".repeat(255) + "\":1",
                        members(252),
                        "\"P\":" + string(32768),
                        binary(65536),
                        entity(1 << 20),
                        typed("DateTime", "\"1601-01-01T00:00:00Z\""),
                        typed("Int64", "\"-9223372036854775808\""),
                        typed("Double", "1.797693134862315e308"),
                        "\"birthday\":1,\"Birthday\":2,\"P\":null")
                .flatMap(LimitsTest::ofEachKind);
    }

    private static Stream<Arguments> ofEachKind(String members) {
        return Stream.of(Kind.values()).map(kind -> Arguments.of(kind, members));
    }

    static Stream<Arguments> illegal() {
        return Stream.of(
                        List.of("\"" + "n".repeat(256) + "\":1", "PropertyNameTooLong", "(255)."),
                        List.of("\"1a\":1", "PropertyNameInvalid", "The property name is invalid."),
                        List.of("\"a-b\":1", "PropertyNameInvalid", "The property name is invalid."),
                        List.of(members(253), "TooManyProperties", "more properties than allowed"),
                        List.of("\"P\":" + string(32769), "PropertyValueTooLarge", TOO_LARGE),
                        List.of(binary(65537), "PropertyValueTooLarge", TOO_LARGE),
                        List.of(entity((1 << 20) + 2), "EntityTooLarge", "maximum allowed size (1MB)."),
                        List.of("\"P\":" + string(1 << 20), "EntityTooLarge", "maximum allowed size (1MB)."),
                        List.of(
                                typed("DateTime", "\"0001-01-01T00:00:00Z\""),
                                "OutOfRangeInput",
                                "The 'P' parameter of value '01/01/0001 00:00:00' is out of range."),
                        List.of(typed("DateTime", "\"\""), "InvalidInput", MALFORMED),
                        List.of(typed("Int64", "\"9223372036854775808\""), "InvalidInput", MALFORMED),
                        List.of(typed("Int32", "2147483648"), "InvalidInput", MALFORMED),
                        List.of("\"P\":1.797693134862316e308", "InvalidInput", MALFORMED),
                        List.of(typed("Guid", "\"a455c695df985678aaaa81d3367e5a3\""), "InvalidInput", MALFORMED),
                        List.of(typed("Binary", "\"AQI\""), "InvalidInput", MALFORMED),
                        List.of(typed("Boolean", "\"yes\""), "InvalidInput", MALFORMED),
                        List.of("\"P\":[1]", "InvalidInput", MALFORMED),
                        List.of("\"P\":{}", "InvalidInput", MALFORMED),
                        List.of("\"P\":", "InvalidInput", MALFORMED),
                        List.of("\"P\":1,\"P\":1", "DuplicatePropertiesSpecified", "more than one time."),
                        List.of(
                                "\"RowKey\":\"rrr\",\"RowKey\":\"rrr\"",
                                "DuplicateKeyPropertySpecified",
                                "A key property is specified more than once."))
                .flatMap(row ->
                        Stream.of(Kind.values()).map(kind -> Arguments.of(kind, row.get(0), row.get(1), row.get(2))));
    }

    @ParameterizedTest
    @MethodSource("legal")
    void whatKeepsTheLimitsIsWritten(Kind kind, String members) {
        client.ask("PUT", "/Orders(PartitionKey='p',RowKey='rrr')", "{}");
        assertThat(alone(kind, "p", kind == Kind.INSERT ? "new" : "rrr", members)
                        .status())
                .isBetween(200, 204);
        String inBatch = inBatch(kind, "p", kind == Kind.INSERT ? "two" : "rrr", members);
        assertThat(inBatch).doesNotContain("odata.error");
        assertThat(client.cluster.get(Key.of(table, "p", "first"))).isNotNull();
    }

    @ParameterizedTest
    @MethodSource("illegal")
    void whatBreaksALimitIsRefusedInTheServicesWords(Kind kind, String members, String code, String text) {
        client.entity(table, "p", "rrr", 1);
        Answer alone = alone(kind, "p", "rrr", members);
        assertThat(alone.status()).isEqualTo(400);
        assertThat(CoreClient.text(alone)).contains("\"code\":\"" + code + "\"", text);

        String inBatch = inBatch(kind, "p", "rrr", members);

        assertThat(inBatch).contains("HTTP/1.1 400 Bad Request", "\"code\":\"" + code + "\"", "\"value\":\"1:", text);
        assertThat(client.cluster.count(KeyRange.ofTable(table))).isEqualTo(2);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void keysHaveAtMostAKibibyte(Kind kind) {
        String longest = "k".repeat(512);
        boolean finds = kind == Kind.INSERT || kind == Kind.INSERT_OR_MERGE || kind == Kind.INSERT_OR_REPLACE;
        assertThat(alone(kind, longest, longest, "\"A\":1").status()).isEqualTo(finds ? code(kind) : 404);

        Answer tooLong = alone(kind, "p", longest + "k", "\"A\":1");

        assertThat(tooLong.status()).isEqualTo(finds ? 400 : 404);
        assertThat(CoreClient.text(tooLong)).contains(finds ? "\"KeyValueTooLarge\"" : "\"ResourceNotFound\"");
        assertThat(inBatch(kind, "p", longest + "k", "\"A\":1"))
                .contains(finds ? "\"KeyValueTooLarge\"" : "\"ResourceNotFound\"", "\"1:");
    }

    private static int code(Kind kind) {
        return kind == Kind.INSERT ? 201 : 204;
    }

    static Stream<Kind> kinds() {
        return Stream.of(Kind.values());
    }

    @Test
    void theWholeIsJudgedBeforeItsValuesAndTypesBeforeSizes() {
        String both = "\"P\":" + string(1 << 20) + ",\"D\":\"\",\"D@odata.type\":\"Edm.DateTime\"";
        assertThat(CoreClient.text(alone(Kind.INSERT, "p", "new", both))).contains("\"InvalidInput\"");
        String many = members(253) + ",\"P\":" + string(1 << 20);
        assertThat(CoreClient.text(alone(Kind.INSERT, "p", "new", many))).contains("\"EntityTooLarge\"");
    }

    private Answer alone(Kind kind, String partitionKey, String rowKey, String members) {
        SignedHeaders headers = client.headers().with("Content-Type", "application/json");
        for (String header : kind.headers.split("\r\n", 0)) {
            if (!header.isEmpty()) {
                headers.with(header.substring(0, header.indexOf(':')), header.substring(header.indexOf(' ') + 1));
            }
        }
        return client.ask(
                kind.verb, target(kind, partitionKey, rowKey), headers, body(kind, partitionKey, rowKey, members));
    }

    /** The write behind an insert of another entity of its partition. */
    private String inBatch(Kind kind, String partitionKey, String rowKey, String members) {
        String part = "--c\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n";
        String base = " http://127.0.0.1:10002/devstoreaccount1";
        String type = " HTTP/1.1\r\nContent-Type: application/json\r\nAccept: application/json\r\n";
        String batch = "--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n" + part
                + "POST" + base + "/Orders" + type + "\r\n{\"PartitionKey\":\"" + partitionKey
                + "\",\"RowKey\":\"first\"}\r\n" + part
                + kind.verb + base + target(kind, partitionKey, rowKey) + type + kind.headers + "\r\n"
                + body(kind, partitionKey, rowKey, members) + "\r\n--c--\r\n--b--\r\n";
        Answer answer = client.ask(
                "POST", "/$batch", client.headers().with("Content-Type", "multipart/mixed; boundary=b"), batch);
        assertThat(answer.status()).as(CoreClient.text(answer)).isEqualTo(202);
        return CoreClient.text(answer);
    }

    private static String target(Kind kind, String partitionKey, String rowKey) {
        return kind == Kind.INSERT ? "/Orders" : "/Orders(PartitionKey='" + partitionKey + "',RowKey='" + rowKey + "')";
    }

    private static String body(Kind kind, String partitionKey, String rowKey, String members) {
        String keys = "\"PartitionKey\":\"" + partitionKey + "\",\"RowKey\":\"" + rowKey + "\",";
        return "{" + (kind.needsKeysInBody() && !members.contains("\"RowKey\"") ? keys : key(kind, partitionKey))
                + members + "}";
    }

    private static String key(Kind kind, String partitionKey) {
        return kind.needsKeysInBody() ? "\"PartitionKey\":\"" + partitionKey + "\"," : "";
    }
}
