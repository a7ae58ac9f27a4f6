package cleave.chaos.bench.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.chaos.bench.peer.CqlConnection.Consistency;
import cleave.chaos.bench.peer.CqlConnection.Prepared;
import com.google.protobuf.ByteString;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** On a server that gives answers as the specification of the protocol has them, byte for byte. */
class CqlConnectionTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int ERROR = 0;
    private static final int READY = 2;
    private static final int RESULT = 8;

    private final List<byte[]> received = new CopyOnWriteArrayList<>();
    private ServerSocket server;

    /** Writes a body. */
    private interface Body {
        void writeTo(DataOutputStream to) throws IOException;
    }

    /** An answer of the server. */
    private record Reply(int opcode, ByteString body) {
        static Reply of(int opcode, Body body) throws IOException {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            body.writeTo(new DataOutputStream(bytes));
            return new Reply(opcode, ByteString.copyFrom(bytes.toByteArray()));
        }
    }

    @BeforeEach
    void listen() throws IOException {
        server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    }

    @AfterEach
    void end() throws IOException {
        server.close();
    }

    private CqlConnection connection(Reply... replies) throws IOException {
        Thread thread = new Thread(() -> serve(replies), "fake-cassandra");
        thread.setDaemon(true);
        thread.start();
        return CqlConnection.open(server.getLocalPort(), PATIENCE);
    }

    private void serve(Reply... replies) {
        try (Socket client = server.accept()) {
            DataInputStream in = new DataInputStream(client.getInputStream());
            DataOutputStream out = new DataOutputStream(client.getOutputStream());
            answer(in, out, new Reply(READY, ByteString.EMPTY));
            for (Reply reply : replies) {
                answer(in, out, reply);
            }
        } catch (EOFException gone) {
            // The client has what it wants.
        } catch (IOException failed) {
            throw new AssertionError(failed);
        }
    }

    private void answer(DataInputStream in, DataOutputStream out, Reply reply) throws IOException {
        byte[] head = in.readNBytes(9);
        if (head.length < 9) {
            throw new EOFException();
        }
        byte[] body = in.readNBytes(ByteBuffer.wrap(head).getInt(5));
        received.add(ByteBuffer.allocate(9 + body.length).put(head).put(body).array());
        out.write(new byte[] {(byte) 0x84, 0, 0, 0, (byte) reply.opcode()});
        out.writeInt(reply.body().size());
        out.write(reply.body().toByteArray());
    }

    private static void string(DataOutputStream to, String text) throws IOException {
        to.writeShort(text.length());
        to.write(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Rows with names and types, as those of a conditional statement. */
    private static Reply applied(boolean isApplied) throws IOException {
        return Reply.of(RESULT, to -> {
            to.writeInt(2);
            to.writeInt(1);
            to.writeInt(1);
            string(to, "bench");
            string(to, "t");
            string(to, "[applied]");
            to.writeShort(4);
            to.writeInt(1);
            to.writeInt(1);
            to.writeByte(isApplied ? 1 : 0);
        });
    }

    private static Reply done() throws IOException {
        return Reply.of(RESULT, to -> to.writeInt(1));
    }

    @Test
    void aStatementIsPreparedAndExecuted() throws IOException {
        Reply prepared = Reply.of(RESULT, to -> {
            to.writeInt(4);
            string(to, "id");
            to.writeInt(0);
        });
        Reply rows = Reply.of(RESULT, to -> {
            to.writeInt(2);
            to.writeInt(4);
            to.writeInt(2);
            to.writeInt(3);
            for (int i = 0; i < 3; i++) {
                to.writeInt(1);
                to.writeByte('p');
                to.writeInt(-1);
            }
        });
        try (CqlConnection connection = connection(prepared, rows, applied(true), applied(false), done())) {
            Prepared statement = connection.prepare("SELECT");
            List<ByteBuffer> values = List.of(ByteBuffer.wrap(new byte[] {'v'}));

            assertThat(connection.execute(statement, values, Consistency.SERIAL).rows())
                    .isEqualTo(3);
            assertThat(connection.execute(statement, values, Consistency.QUORUM).isApplied())
                    .isTrue();
            assertThat(connection.execute(statement, values, Consistency.QUORUM).isApplied())
                    .isFalse();
            assertThat(connection.batch(statement, List.of(values, values), Consistency.ONE))
                    .matches(answer -> !answer.isError());
        }
        assertThat(received.get(0))
                .startsWith(4, 0, 0, 0, 1, 0, 0, 0)
                .containsSequence("CQL_VERSION".getBytes(StandardCharsets.UTF_8));
        // EXECUTE: id, consistency SERIAL, flags, one value, serial consistency SERIAL.
        assertThat(received.get(2))
                .containsExactly(4, 0, 0, 0, 10, 0, 0, 0, 16, 0, 2, 'i', 'd', 0, 8, 0x13, 0, 1, 0, 0, 0, 1, 'v', 0, 8);
    }

    private static Reply error(int code) throws IOException {
        return Reply.of(ERROR, to -> {
            to.writeInt(code);
            string(to, "no");
            to.writeInt(1);
        });
    }

    @Test
    void anErrorSaysWhetherTheWriteMayHaveHappened() throws IOException {
        try (CqlConnection connection = connection(error(0x1100), error(0x1700), error(0x1001), error(0x2200))) {
            assertThat(connection.query("x", Consistency.ONE)).matches(CqlAnswer::isUnknown);
            assertThat(connection.query("x", Consistency.ONE)).matches(CqlAnswer::isUnknown);
            assertThat(connection.query("x", Consistency.ONE))
                    .matches(CqlAnswer::isBusy)
                    .matches(answer -> !answer.isUnknown());
            assertThat(connection.query("x", Consistency.ONE))
                    .matches(answer -> !answer.isBusy() && !answer.isUnknown())
                    .hasToString("error 0x2200: no");
        }
    }

    @Test
    void whatIsNoAnswerIsABrokenConnection() throws IOException {
        try (CqlConnection connection =
                connection(new Reply(RESULT, ByteString.copyFrom(new byte[] {0, 0, 0, 2, 0})))) {
            assertThatThrownBy(() -> connection.query("x", Consistency.ONE)).hasMessage("an answer that is none");
        }
    }

    @Test
    void aServerThatWantsAPasswordIsRefused() throws IOException {
        Thread thread = new Thread(
                () -> {
                    try (Socket client = server.accept()) {
                        answer(
                                new DataInputStream(client.getInputStream()),
                                new DataOutputStream(client.getOutputStream()),
                                error(0x0100));
                    } catch (IOException failed) {
                        throw new AssertionError(failed);
                    }
                },
                "fake-cassandra");
        thread.setDaemon(true);
        thread.start();
        assertThatThrownBy(() -> CqlConnection.open(server.getLocalPort(), PATIENCE))
                .hasMessageContaining("error 0x0100: no");
    }
}
