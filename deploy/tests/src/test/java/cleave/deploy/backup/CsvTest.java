package cleave.deploy.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import cleave.deploy.CommandFailure;
import cleave.deploy.backup.EntityReader.BadEntity;
import cleave.deploy.backup.EntityReader.Entry;
import java.io.ByteArrayInputStream;
import java.io.InputStreamReader;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class CsvTest {
    private static String csv(List<String> lines) throws Exception {
        CsvSink sink = new CsvSink();
        for (String line : lines) {
            sink.collect(line);
        }
        StringWriter out = new StringWriter();
        sink.write(new StringReader(String.join("\n", lines) + "\n"), out);
        return out.toString();
    }

    private static List<Entry> entities(String csv) throws Exception {
        CsvEntityReader source = new CsvEntityReader(new StringReader(csv));
        List<Entry> entries = new ArrayList<>();
        for (Entry entry = source.next(); entry != null; entry = source.next()) {
            entries.add(entry);
        }
        return entries;
    }

    private static List<String> lines(String csv) throws Exception {
        return entities(csv).stream().map(Entry::json).toList();
    }

    /** Keys first, then by name, as CSV returns them. */
    @Test
    void everyTypeComesBackAsItWas() throws Exception {
        String all = "{\"PartitionKey\":\"a'b,\\\"c\\\"\",\"RowKey\":\"r\\n1\","
                + "\"Bytes@odata.type\":\"Edm.Binary\",\"Bytes\":\"AQID\",\"Double\":5.0,\"Empty\":\"\",\"Flag\":false,"
                + "\"Id@odata.type\":\"Edm.Guid\",\"Id\":\"c9da6455-213d-42c9-9a79-3e9149a57833\",\"Int\":-7,"
                + "\"Large@odata.type\":\"Edm.Int64\",\"Large\":\"9007199254740993\","
                + "\"NaN@odata.type\":\"Edm.Double\",\"NaN\":\"-Infinity\",\"NoBytes@odata.type\":\"Edm.Binary\","
                + "\"NoBytes\":\"\",\"Small\":1.0E-300,\"Text\":\" x,\\r\\n\\\"\\u0001\u00e4\ud83d\ude00 \","
                + "\"When@odata.type\":\"Edm.DateTime\",\"When\":\"2026-01-02T03:04:05.1234567Z\"}";
        assertThat(lines(csv(List.of(all)))).containsExactly(all);
    }

    @Test
    void whatAnEntityLacksIsNotWhatIsEmpty() throws Exception {
        List<String> lines = List.of(
                "{\"PartitionKey\":\"\",\"RowKey\":\"\",\"A\":\"\"}",
                "{\"PartitionKey\":\"p\",\"RowKey\":\"r\",\"B\":1}",
                "{\"PartitionKey\":\"p\",\"RowKey\":\"s\",\"A\":2}");
        String csv = csv(lines);
        assertThat(csv).isEqualTo("""
                        PartitionKey,RowKey,A,A@type,B,B@type
                        ,,,Edm.String,,
                        p,r,,,1,Edm.Int32
                        p,s,2,Edm.Int32,,
                        """);
        assertThat(lines(csv)).isEqualTo(lines);
    }

    /** Other programs write a byte order mark, line ends of Windows, more columns, and no types. */
    @Test
    void filesOfOtherProgramsAreRead() throws Exception {
        assertThat(lines(
                        "PartitionKey,RowKey,Timestamp,Name,Age,Age@type\r\n\"p\",r,2026-01-01T00:00:00Z,\"a, \"\"b\"\"\",7,Int32\r\n\r\n"
                                + "p,s,,,,\r\n"))
                .containsExactly(
                        "{\"PartitionKey\":\"p\",\"RowKey\":\"r\",\"Name\":\"a, \\\"b\\\"\",\"Age\":7}",
                        "{\"PartitionKey\":\"p\",\"RowKey\":\"s\"}");
    }

    @Test
    void theReportedLineIsWhereTheRecordBegins() throws Exception {
        assertThat(entities("PartitionKey,RowKey,T\np,1,\"a\nb\nc\"\np,2,x\n").stream()
                        .map(Entry::line))
                .containsExactly(2L, 5L);
    }

    static Stream<Arguments> mistakes() {
        String header = "PartitionKey,RowKey,V,V@type\n";
        return Stream.of(
                arguments("", 1, "the file is empty"),
                arguments("Key,RowKey\n", 1, "there is no column PartitionKey"),
                arguments("PartitionKey,RowKey,A,A\n", 1, "there are two columns A"),
                arguments("PartitionKey,RowKey,,B\n", 1, "column 3 has no name"),
                arguments("PartitionKey,RowKey,A@type\n", 1, "a column A@type, but none A"),
                arguments(header + "p,r,1,Edm.Int32\np,s,x,Edm.Int32\n", 3, "column 3 (V): 'x' is no Edm.Int32"),
                arguments(header + "p,r,2147483648,Edm.Int32\n", 2, "from -2147483648 to 2147483647"),
                arguments(
                        header + "p,r,1,Edm.Int\n",
                        2,
                        "column 4 (V@type): 'Edm.Int' is no type; the types are Edm.String"),
                arguments(header + "p,r,yes,Edm.Boolean\n", 2, "true or false"),
                arguments(header + "p,r,1.5,Edm.Int64\n", 2, "a whole number of 64 bits"),
                arguments(header + "p,r,1e999,Edm.Double\n", 2, "is no Edm.Double"),
                arguments(header + "p,r,0x1p3,Edm.Double\n", 2, "is no Edm.Double"),
                arguments(header + "p,r,2026-13-01T00:00:00Z,Edm.DateTime\n", 2, "is no Edm.DateTime"),
                arguments(header + "p,r,1,Edm.Guid\n", 2, "a GUID such as"),
                arguments(header + "p,r,*,Edm.Binary\n", 2, "Base64"),
                arguments(header + "p,r,a,b,Edm.String\n", 2, "it has 5 fields, but the first line names 4 columns"),
                arguments(header + "p,r,1\n", 2, "it has 3 fields"),
                arguments(header + "p,r,\"a\"b,Edm.String\n", 2, "it is no CSV"));
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void aMistakeIsReportedWithItsPlace(String csv, long line, String why) {
        assertThatThrownBy(() -> entities(csv))
                .isInstanceOfSatisfying(
                        BadEntity.class, bad -> assertThat(bad.line()).isEqualTo(line))
                .hasMessageContaining(why);
    }

    @Test
    void invalidUtf8IsReported() {
        byte[] latin = "PartitionKey,RowKey,T\np,r,\u00e4\n".getBytes(StandardCharsets.ISO_8859_1);
        assertThatThrownBy(() -> {
                    CsvEntityReader source = new CsvEntityReader(new InputStreamReader(
                            new ByteArrayInputStream(latin), StandardCharsets.UTF_8.newDecoder()));
                    source.next();
                })
                .isInstanceOf(BadEntity.class)
                .hasMessageContaining("is no UTF-8");
    }

    @ParameterizedTest
    @CsvSource({"=1+1, 1", "+1, 1", "-1, 1", "@SUM(A1), 1", "'\t=1', 1", "a=1, 0", "1, 0", "'', 0"})
    void textsThatASpreadsheetTakesForFormulasAreCounted(String text, long formulas) throws Exception {
        String line =
                "{\"PartitionKey\":\"p\",\"RowKey\":\"r\",\"N\":-5,\"T\":\"" + text.replace("\t", "\\t") + "\"}\n";
        CsvSink sink = new CsvSink();
        sink.collect(line);
        StringWriter written = new StringWriter();
        sink.write(new StringReader(line), written);

        assertThat(sink.formulas()).isEqualTo(formulas);
        assertThat(entities(written.toString()).get(0).json()).contains(text.replace("\t", "\\t"));
    }

    @Test
    void tooManyPropertiesForCsvAreRefusedWithTheRemedy() {
        CsvSink sink = new CsvSink();
        assertThatThrownBy(() -> {
                    for (int i = 0; i <= 8_000; i++) {
                        sink.collect("{\"PartitionKey\":\"p\",\"RowKey\":\"r\",\"n" + i + "\":1}");
                    }
                })
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("--format jsonl");
    }
}
