package cleave.frontend;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.frontend.RawClient.Answer;
import cleave.frontend.core.SignedHeaders;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Where the bodies of requests end: nowhere that a proxy could see at another place. */
class FramingIT extends OnSockets {
    FramingIT() {
        super("front-end.body-timeout", "500ms", "front-end.loops", "1");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
                "Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello",
                "Content-Length: 5, 5\r\n\r\nhello",
                "Content-Length: +5\r\n\r\nhello",
                "Content-Length: 0x5\r\n\r\nhello",
                "Content-Length : 5\r\n\r\nhello",
                "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
                "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
                "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
                "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "Transfer-Encoding: identity\r\nContent-Length: 5\r\n\r\nhello",
                "Transfer-Encoding: \u000bchunked\r\n\r\n0\r\n\r\n",
                "X: a\nContent-Length: 5\r\n\r\nhello",
                "X: a\rContent-Length: 5\r\n\r\nhello",
                "Content-Length: 5\n\nhello",
                "Transfer-Encoding: chunked\r\n\r\n0x5\r\nhello\r\n0\r\n\r\n",
                "Transfer-Encoding: chunked\r\n\r\n5\nhello\n0\n\n",
                "Transfer-Encoding: chunked\r\n\r\n-1\r\nhello\r\n0\r\n\r\n",
                "Transfer-Encoding: chunked\r\n\r\n5\r\nhelloX0\r\n\r\n"
            })
    void whatCouldEndElsewhereIsRefusedAndTheConnectionEnds(String rest) throws IOException {
        try (RawClient client = connect()) {
            Answer answer = client.send("POST /devstoreaccount1/Orders HTTP/1.1\r\nHost: h\r\n" + rest)
                    .read();

            assertThat(answer.status()).isEqualTo(400);
            assertThat(answer.header("Connection")).isEqualTo("close");
            client.drain();
        }
    }

    @ParameterizedTest
    @CsvSource({"POST,/Tables,411", "PUT,/Orders?comp=acl,411", "GET,/Tables,200", "OPTIONS,/Tables,400"})
    void whoHasABodySaysHowLongItIs(String verb, String target, int status) throws IOException {
        try (RawClient client = connect()) {
            Answer answer = client.send(RawClient.head(verb, target, new SignedHeaders()) + "\r\n")
                    .read();

            assertThat(answer.status()).isEqualTo(status);
            assertThat(answer.body().contains("MissingContentLengthHeader")).isEqualTo(status == 411);
            assertThat(client.ask("POST", "/Tables", ORDERS).status()).isEqualTo(201);
        }
    }

    @Test
    void anEmptyBodyMayBeAnnounced() throws IOException {
        try (RawClient client = connect()) {
            client.ask("POST", "/Tables", ORDERS);
            SignedHeaders empty = with("Content-Length", "0");

            assertThat(client.send(RawClient.head("PUT", "/Orders?comp=acl", empty) + "\r\n")
                            .read()
                            .status())
                    .isEqualTo(204);
        }
    }

    @Test
    void otherCodingsAreNotKnown() throws IOException {
        SignedHeaders packed = with("Transfer-Encoding", "gzip, chunked");
        try (RawClient client = connect()) {
            Answer answer = client.send(RawClient.head("POST", "/Tables", packed) + "\r\n0\r\n\r\n")
                    .read();

            assertThat(answer.status()).isEqualTo(501);
            assertThat(client.ask("POST", "/Tables", ORDERS).status()).isEqualTo(201);
        }
    }

    @Test
    void whoDripsABodyIsCutOff() throws IOException {
        SignedHeaders announced = with("Content-Length", "4000000");
        try (RawClient client = connect()) {
            client.send(RawClient.head("POST", "/Tables", announced) + "\r\n");
            try {
                while (true) {
                    client.send(" ");
                    Thread.onSpinWait();
                }
            } catch (IOException cutOff) {
                assertThat(cutOff).isInstanceOf(java.net.SocketException.class);
            }
        }
        assertThat(TestServers.ended(registry, "slow-body")).isEqualTo(1);
    }
}
