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
    void oneTableAtEachLevel() {
        assertThat(text(TableJson.table(BASE, MetadataLevel.NONE, Selection.ALL, "Orders")))
                .isEqualTo("{\"TableName\":\"Orders\"}");
        assertThat(text(TableJson.table(BASE, MetadataLevel.MINIMAL, Selection.ALL, "Orders")))
                .isEqualTo("{\"odata.metadata\":\"http://127.0.0.1:10002/acct/$metadata#Tables/@Element\","
                        + "\"TableName\":\"Orders\"}");
        assertThat(text(TableJson.table(BASE, MetadataLevel.FULL, Selection.ALL, "Orders")))
                .isEqualTo("{\"odata.metadata\":\"http://127.0.0.1:10002/acct/$metadata#Tables/@Element\","
                        + "\"odata.type\":\"acct.Tables\",\"odata.id\":\"http://127.0.0.1:10002/acct/Tables('Orders')\","
                        + "\"odata.editLink\":\"Tables('Orders')\",\"TableName\":\"Orders\"}");
    }

    @Test
    void listsOfTables() {
        assertThat(text(TableJson.list(BASE, MetadataLevel.NONE, Selection.ALL, List.of("A", "B"))))
                .isEqualTo("{\"value\":[{\"TableName\":\"A\"},{\"TableName\":\"B\"}]}");
        assertThat(text(TableJson.list(BASE, MetadataLevel.MINIMAL, Selection.ALL, List.of())))
                .isEqualTo("{\"odata.metadata\":\"http://127.0.0.1:10002/acct/$metadata#Tables\",\"value\":[]}");
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
    void nameIsReadAndTheRestPassedOver() {
        assertThat(TableJson.readCreate(Body.of("{\"TableName\":\"Orders\"}"))).isEqualTo("Orders");
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
                "{\"TableName\":\"ab\"}|OUT_OF_RANGE_INPUT",
                "{\"TableName\":\"\"}|OUT_OF_RANGE_INPUT",
                "{\"TableName\":\"a234567890123456789012345678901234567890123456789012345678901234\"}|OUT_OF_RANGE_INPUT",
                "{\"TableName\":\"1abc\"}|INVALID_RESOURCE_NAME",
                "{\"TableName\":\"a-b-c\"}|INVALID_RESOURCE_NAME",
                "{\"TableName\":\"größe\"}|INVALID_RESOURCE_NAME",
                "{\"TableName\":\"TABLES\"}|INVALID_INPUT",
            })
    void wrongBodiesGetTheContractsError(String body, ServiceCode code) {
        Refused.with(code, () -> TableJson.readCreate(Body.of(body)));
    }

    @Test
    void errorsOfNamesAreToldInTheServicesWords() {
        assertThat(Refused.with(ServiceCode.OUT_OF_RANGE_INPUT, () -> TableName.check("ab"))
                        .text())
                .isEqualTo("The specified resource name length is not within the permissible limits.");
        assertThat(Refused.with(ServiceCode.INVALID_RESOURCE_NAME, () -> TableName.check("a_b"))
                        .text())
                .isEqualTo("The specifed resource name contains invalid characters.");
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
