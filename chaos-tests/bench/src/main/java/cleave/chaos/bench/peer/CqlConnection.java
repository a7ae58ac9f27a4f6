package cleave.chaos.bench.peer;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

/**
 * A connection to Cassandra with one request at a time, by version 4 of its native protocol. Confined to its thread. It knows no more of the
 * protocol than the load needs, and so costs a request less than a driver would: one write, one read, and no other thread.
 */
final class CqlConnection implements AutoCloseable {
    private static final int VERSION = 4;
    private static final int REQUEST_HEAD = 9;
    private static final int ANSWER_BYTES_MAX = 64 << 20;
    private static final int BUFFER_BYTES = 64 << 10;
    /** Flags of a statement that is sent: with values, without names and types in its answer, with a serial consistency. */
    private static final int WITH_VALUES = 0x01;

    private static final int WITHOUT_METADATA = 0x02;
    private static final int WITH_SERIAL_CONSISTENCY = 0x10;
    /** A kind of batch. */
    private static final int UNLOGGED = 1;

    private final Socket socket;
    private final DataInputStream in;
    private final OutputStream out;

    /** The kinds of frames that are sent. */
    private enum Opcode {
        STARTUP(1),
        QUERY(7),
        PREPARE(9),
        EXECUTE(10),
        BATCH(13);

        private final int code;

        Opcode(int code) {
            this.code = code;
        }
    }

    /** Which replicas must have answered. */
    enum Consistency {
        ONE(1),
        QUORUM(4),
        /** A read that is in one order with all conditional writes. */
        SERIAL(8);

        private final int code;

        Consistency(int code) {
            this.code = code;
        }
    }

    /** A statement that the server knows. Immutable. */
    record Prepared(ByteBuffer id) {}

    private CqlConnection(Socket socket) throws IOException {
        this.socket = socket;
        this.in = new DataInputStream(new BufferedInputStream(socket.getInputStream(), BUFFER_BYTES));
        this.out = socket.getOutputStream();
    }

    /**
     * Connects to a port of this machine.
     *
     * @param patience for an answer, after which a request fails with a SocketTimeoutException
     */
    static CqlConnection open(int port, Duration patience) throws IOException {
        Socket socket = new Socket();
        try {
            socket.setTcpNoDelay(true);
            socket.setSoTimeout((int) patience.toMillis());
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), (int) patience.toMillis());
            CqlConnection connection = new CqlConnection(socket);
            CqlAnswer answer = connection.exchange(Opcode.STARTUP, body -> {
                body.writeShort(1);
                string(body, "CQL_VERSION");
                string(body, "3.0.0");
            });
            if (!answer.isReady()) {
                throw new IOException("Cassandra wants more than a start: " + answer);
            }
            return connection;
        } catch (IOException failed) {
            socket.close();
            throw failed;
        }
    }

    /** A statement without values. */
    CqlAnswer query(String cql, Consistency consistency) throws IOException {
        return exchange(Opcode.QUERY, body -> {
            longString(body, cql);
            body.writeShort(consistency.code);
            body.writeByte(0);
        });
    }

    /** IOException if the server refuses it. */
    Prepared prepare(String cql) throws IOException {
        CqlAnswer answer = exchange(Opcode.PREPARE, body -> longString(body, cql));
        if (answer.isError()) {
            throw new IOException("Cassandra refuses '" + cql + "': " + answer.text());
        }
        return new Prepared(answer.prepared());
    }

    /**
     * A prepared statement. Its conditional part, if any, is always in one order with all others.
     *
     * @param values as the server stores them
     */
    CqlAnswer execute(Prepared statement, List<ByteBuffer> values, Consistency consistency) throws IOException {
        return exchange(Opcode.EXECUTE, body -> {
            shortBytes(body, statement.id());
            body.writeShort(consistency.code);
            body.writeByte(WITH_VALUES | WITHOUT_METADATA | WITH_SERIAL_CONSISTENCY);
            values(body, values);
            body.writeShort(Consistency.SERIAL.code);
        });
    }

    /** The same statement with each of these values, which is not atomic. */
    CqlAnswer batch(Prepared statement, List<List<ByteBuffer>> rows, Consistency consistency) throws IOException {
        return exchange(Opcode.BATCH, body -> {
            body.writeByte(UNLOGGED);
            body.writeShort(rows.size());
            for (List<ByteBuffer> row : rows) {
                body.writeByte(1);
                shortBytes(body, statement.id());
                values(body, row);
            }
            body.writeShort(consistency.code);
            body.writeByte(0);
        });
    }

    private static void values(DataOutputStream body, List<ByteBuffer> values) throws IOException {
        body.writeShort(values.size());
        for (ByteBuffer value : values) {
            body.writeInt(value.remaining());
            body.write(value.array(), value.arrayOffset() + value.position(), value.remaining());
        }
    }

    /** Writes the body of a frame. */
    private interface Body {
        void writeTo(DataOutputStream to) throws IOException;
    }

    private CqlAnswer exchange(Opcode opcode, Body body) throws IOException {
        ByteArrayOutputStream frame = new ByteArrayOutputStream(512);
        try (DataOutputStream to = new DataOutputStream(frame)) {
            to.writeByte(VERSION);
            to.writeByte(0);
            to.writeShort(0);
            to.writeByte(opcode.code);
            to.writeInt(0);
            body.writeTo(to);
        }
        byte[] bytes = frame.toByteArray();
        ByteBuffer.wrap(bytes).putInt(REQUEST_HEAD - Integer.BYTES, bytes.length - REQUEST_HEAD);
        out.write(bytes);
        return received();
    }

    private CqlAnswer received() throws IOException {
        int version = in.readUnsignedByte();
        if (version != (0x80 | VERSION)) {
            throw new IOException("an answer in version " + (version & 0x7f) + " of the protocol");
        }
        int flags = in.readUnsignedByte();
        in.readUnsignedShort();
        int opcode = in.readUnsignedByte();
        int length = in.readInt();
        if (length < 0 || length > ANSWER_BYTES_MAX) {
            throw new IOException("an answer of " + length + " bytes");
        }
        byte[] body = new byte[length];
        in.readFully(body);
        try {
            return CqlAnswer.parse(opcode, flags, ByteBuffer.wrap(body));
        } catch (RuntimeException malformed) {
            throw new IOException("an answer that is none", malformed);
        }
    }

    private static void string(DataOutputStream body, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        body.writeShort(bytes.length);
        body.write(bytes);
    }

    private static void longString(DataOutputStream body, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        body.writeInt(bytes.length);
        body.write(bytes);
    }

    private static void shortBytes(DataOutputStream body, ByteBuffer bytes) throws IOException {
        body.writeShort(bytes.remaining());
        body.write(bytes.array(), bytes.arrayOffset() + bytes.position(), bytes.remaining());
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
