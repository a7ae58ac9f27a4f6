package cleave.frontend.protocol.batch;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.frontend.protocol.odata.AddressStyle;
import cleave.frontend.protocol.odata.Body;
import cleave.frontend.protocol.odata.Method;
import cleave.frontend.protocol.odata.Resource;
import cleave.frontend.protocol.odata.ResourceAddress;
import java.util.List;
import java.util.Locale;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** However a client writes a transaction, it is read as the operations that the client meant. */
class BatchFormPropertyTest {
    private static final ResourceAddress OUTER = ResourceAddress.parse("/acct/$batch", "h", AddressStyle.PATH);

    /** An operation as it is meant. */
    private record Operation(String verb, String rowKey, String body) {
        Method method() {
            return verb.equals("PUT") ? Method.PUT : verb.equals("DELETE") ? Method.DELETE : Method.MERGE;
        }
    }

    /** How a client writes. */
    private record Form(
            boolean crlf,
            boolean lowerCase,
            boolean blankLines,
            boolean delimitersFollowBodies,
            boolean quoted,
            boolean lengths,
            String origin,
            String end) {}

    @Provide
    Arbitrary<List<Operation>> operations() {
        Arbitrary<String> verb = Arbitraries.of("PUT", "PATCH", "MERGE", "DELETE", "POST");
        Arbitrary<String> rowKey =
                Arbitraries.strings().withChars("aA1 ,()=%").ofMaxLength(6).map(key -> key.replace("%", "%25"));
        Arbitrary<String> body =
                Arbitraries.of("", "{}", "{\"A\":1}", "{\"A\":\"--c\",\n\"B\":\"--b--\"}", "{\"A\":\r\n1}");
        return Combinators.combine(verb, rowKey, body)
                .as(Operation::new)
                .list()
                .ofMinSize(1)
                .ofMaxSize(5);
    }

    @Provide
    Arbitrary<Form> forms() {
        Arbitrary<Boolean> either = Arbitraries.of(true, false);
        Arbitrary<String> origin = Arbitraries.of("", "http://127.0.0.1:10002", "https://elsewhere.example.net");
        Arbitrary<String> end = Arbitraries.of(
                "--b--", "--b--\r\n", "\r\n--b--\r\n", "--b--\r\nmore", "--b", "--b\r\n", "\r\n--b\r\n", "");
        return Combinators.combine(either, either, either, either, either, either, origin, end)
                .as(Form::new);
    }

    @Property(tries = 1000)
    void everyFormOfATransactionIsRead(@ForAll("operations") List<Operation> operations, @ForAll("forms") Form form) {
        String type = "multipart/mixed; boundary=" + (form.quoted ? "\"b\"" : "b");

        BatchRequest batch = BatchParser.parse(Body.of(written(operations, form)), type, OUTER);

        assertThat(batch.isQuery()).isFalse();
        assertThat(batch.operations()).hasSameSizeAs(operations);
        for (int i = 0; i < operations.size(); i++) {
            Operation meant = operations.get(i);
            BatchOperation read = batch.operations().get(i);
            assertThat(read.method()).isEqualTo(meant.method());
            assertThat(read.resource())
                    .isEqualTo(new Resource.EntityAddress("Orders", "p", meant.rowKey.replace("%25", "%")));
            assertThat(read.body()).hasToString(lines(meant.body, form));
            assertThat(read.headers().first("If-Match")).isEqualTo("*");
        }
    }

    private static String written(List<Operation> operations, Form form) {
        StringBuilder text = new StringBuilder("--b\r\n");
        text.append(header("Content-Type: multipart/mixed; boundary=c\r\n", form))
                .append("\r\n");
        blank(text, form);
        for (Operation operation : operations) {
            text.append("--c\r\n").append(header("Content-Type: application/http\r\n", form));
            text.append(header("Content-Transfer-Encoding: binary\r\n", form)).append("\r\n");
            text.append(operation.verb)
                    .append(' ')
                    .append(form.origin)
                    .append("/acct/Orders(PartitionKey='p',RowKey='");
            text.append(operation.rowKey).append("')?tn=Orders HTTP/1.1\r\n");
            text.append(header("If-Match: *\r\nx-ms-date: now\r\nHost: h\r\n", form));
            text.append(form.lengths ? header("Content-Length: 3\r\n", form) : "");
            text.append(operation.verb.equals("POST") ? header("X-HTTP-Method: MERGE\r\n", form) : "");
            blank(text.append("\r\n"), form);
            text.append(operation.body);
            if (!form.delimitersFollowBodies) {
                blank(text.append("\r\n"), form);
            }
        }
        return lines(text.append("--c--\r\n").append(form.end).toString(), form);
    }

    private static void blank(StringBuilder text, Form form) {
        text.append(form.blankLines ? "\r\n" : "");
    }

    /** Names of headers only: a value in lower case is another one. */
    private static String header(String lines, Form form) {
        StringBuilder text = new StringBuilder();
        for (String line : lines.split("(?<=\n)")) {
            int colon = line.indexOf(':');
            String name = line.substring(0, colon);
            text.append(form.lowerCase ? name.toLowerCase(Locale.ROOT) : name).append(line.substring(colon));
        }
        return text.toString();
    }

    private static String lines(String text, Form form) {
        return form.crlf ? text : text.replace("\r\n", "\n");
    }
}
