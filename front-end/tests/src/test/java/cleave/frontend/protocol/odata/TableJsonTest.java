package cleave.frontend.protocol.odata;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TableJsonTest {
    private static final BaseUri BASE = new BaseUri("acct", "http://127.0.0.1:10002/acct");

    private static String text(byte[] json) {
        return new String(json, StandardCharsets.UTF_8);
    }

    @Test
    void selectIsEchoedAndWhatATableHasNotIsNull() {
        Selection name = Selection.parse("TableName");
        Selection more = Selection.parse("Foo,TableName,odata.etag");
        assertThat(text(TableJson.list(BASE, MetadataLevel.MINIMAL, name, List.of("A"))))
                .isEqualTo("{\"odata.metadata\":\"http://127.0.0.1:10002/acct/$metadata#Tables&$select=TableName\","
                        + "\"value\":[{\"TableName\":\"A\"}]}");
        assertThat(text(TableJson.table(BASE, MetadataLevel.NONE, more, "A")))
                .isEqualTo("{\"Foo\":null,\"TableName\":\"A\"}");
        assertThat(text(TableJson.table(BASE, MetadataLevel.MINIMAL, name, "A")))
                .isEqualTo(
                        "{\"odata.metadata\":\"http://127.0.0.1:10002/acct/$metadata#Tables/@Element&$select=TableName\","
                                + "\"TableName\":\"A\"}");
    }

    @Test
    void whatSurroundsTheNameIsPassedOver() {
        assertThat(TableJson.readCreate(
                        Body.of("\r\n{\"odata.type\":\"x\",\"a\":{\"TableName\":[1]},\"TableName\":\"Orders\"} ")))
                .isEqualTo("Orders");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{}|PROPERTIES_NEED_VALUE",
                "{\"TableName\":null}|PROPERTIES_NEED_VALUE",
                "{\"TableName\":5}|INVALID_INPUT",
                "{\"TableName\":\"Orders\",\"TableName\":\"More\"}|INVALID_INPUT",
                "[]|INVALID_INPUT",
                "{|INVALID_INPUT",
                "{\"TableName\":\"Orders\"}x|INVALID_INPUT",
                "{\"TableName\":\"\"}|OUT_OF_RANGE_INPUT",
                "{\"TableName\":\"größe\"}|INVALID_RESOURCE_NAME",
                "{\"TableName\":\"TABLES\"}|INVALID_INPUT",
            })
    void wrongBodiesGetTheContractsError(String body, ServiceCode code) {
        Refused.with(code, () -> TableJson.readCreate(Body.of(body)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"abc", "A23", "z23456789012345678901234567890123456789012345678901234567890123"})
    void legalNames(String name) {
        TableName.check(name);
        assertThat(TableName.isLegal(name)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "ab", "1ab", "a b", "Tables", "a/b", "ab\0"})
    void illegalNames(String name) {
        assertThat(TableName.isLegal(name)).isFalse();
    }
}
