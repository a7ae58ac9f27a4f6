package cleave.frontend.protocol.batch;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.frontend.protocol.odata.AddressStyle;
import cleave.frontend.protocol.odata.Body;
import cleave.frontend.protocol.odata.Refused;
import cleave.frontend.protocol.odata.ResourceAddress;
import java.util.List;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Batches cut and glued at will are read or refused, and nothing worse. */
class BatchPropertyTest {
    private static final ResourceAddress OUTER = ResourceAddress.parse("/acct/$batch", "h", AddressStyle.PATH);

    @Provide
    Arbitrary<List<String>> pieces() {
        return Arbitraries.of(
                        "--b\r\n",
                        "--b--\r\n",
                        "--c\r\n",
                        "--c--\r\n",
                        "\r\n",
                        "\n",
                        "Content-Type: multipart/mixed; boundary=c\r\n",
                        "Content-Type: application/http\r\n",
                        "Content-ID: 1\r\n",
                        "If-Match: *\r\n",
                        ":",
                        "POST /acct/Orders HTTP/1.1\r\n",
                        "MERGE /acct/Orders(PartitionKey='p',RowKey='r') HTTP/1.1\r\n",
                        "GET /acct/Orders HTTP/1.1\r\n",
                        "PUT % HTTP/1.1\r\n",
                        "{\"A\":1}")
                .list()
                .ofMaxSize(20);
    }

    @Property(tries = 3000)
    void anyPiecesAreReadOrRefused(@ForAll("pieces") List<String> pieces) {
        Refused.orFine(() -> {
            BatchRequest batch =
                    BatchParser.parse(Body.of(String.join("", pieces)), "multipart/mixed; boundary=b", OUTER);
            assertThat(batch.operations()).hasSizeBetween(batch.isQuery() ? 1 : 0, 100);
        });
    }

    @Property(tries = 1000)
    void anyPiecesInAnEnvelopeAreReadOrRefused(@ForAll("pieces") List<String> pieces) {
        String inner = pieces.stream().filter(piece -> !piece.startsWith("--b")).collect(Collectors.joining());
        String body = "--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n--c\r\n" + inner + "\r\n--c--\r\n--b--";
        Refused.orFine(() -> {
            BatchParser.parse(Body.of(body), "multipart/mixed; boundary=b", OUTER);
        });
    }

    @Property(tries = 300)
    void anyBytesAndTypesAreReadOrRefused(@ForAll byte[] bytes, @ForAll String type) {
        Refused.orFine(() -> BatchParser.parse(Body.of(bytes), type, OUTER));
        Refused.orFine(() -> BatchParser.parse(Body.of(bytes), "multipart/mixed; boundary=" + type, OUTER));
    }
}
