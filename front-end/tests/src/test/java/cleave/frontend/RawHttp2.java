package cleave.frontend;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/** A client of HTTP/2 that writes and reads frames, so that it can break any rule. Confined to the test's thread. */
final class RawHttp2 implements AutoCloseable {
    static final int DATA = 0;
    static final int HEADERS = 1;
    static final int RST_STREAM = 3;
    static final int SETTINGS = 4;
    static final int PING = 6;
    static final int GOAWAY = 7;
    static final int CONTINUATION = 9;

    static final int END_STREAM = 1;
    static final int END_HEADERS = 4;

    /** A parameter of SETTINGS. */
    static final int INITIAL_WINDOW_SIZE = 4;

    private static final String PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    private static final int PATIENCE_MILLIS = 20_000;

    private final SSLSocket socket;
    private final DataInputStream in;

    RawHttp2(SSLSocket socket) throws IOException {
        this.socket = socket;
        this.in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
    }

    /** TLS with ALPN, and nothing after it. */
    static RawHttp2 silent(SSLContext trust, int port) throws IOException {
        Socket plain = new Socket(InetAddress.getLoopbackAddress(), port);
        plain.setSoTimeout(PATIENCE_MILLIS);
        plain.setTcpNoDelay(true);
        SSLSocket socket = (SSLSocket) trust.getSocketFactory().createSocket(plain, "localhost", port, true);
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setApplicationProtocols(new String[] {"h2"});
        socket.setSSLParameters(parameters);
        socket.startHandshake();
        return new RawHttp2(socket);
    }

    /** With the preface, and these settings. */
    static RawHttp2 open(SSLContext trust, int port, Map<Integer, Integer> settings) throws IOException {
        RawHttp2 client = silent(trust, port);
        client.socket.getOutputStream().write(PREFACE.getBytes(StandardCharsets.US_ASCII));
        client.send(settings(settings));
        return client;
    }

    static byte[] settings(Map<Integer, Integer> settings) {
        ByteArrayOutputStream payload = new ByteArrayOutputStream();
        settings.forEach((id, value) -> {
            payload.write(id >> 8);
            payload.write(id);
            payload.writeBytes(fourBytes(value));
        });
        return frame(SETTINGS, 0, 0, payload.toByteArray());
    }

    static byte[] frame(int type, int flags, int stream, byte[] payload) {
        ByteArrayOutputStream frame = new ByteArrayOutputStream(9 + payload.length);
        frame.write(payload.length >> 16);
        frame.write(payload.length >> 8);
        frame.write(payload.length);
        frame.write(type);
        frame.write(flags);
        frame.writeBytes(fourBytes(stream));
        frame.writeBytes(payload);
        return frame.toByteArray();
    }

    static byte[] fourBytes(int value) {
        return new byte[] {(byte) (value >> 24), (byte) (value >> 16), (byte) (value >> 8), (byte) value};
    }

    /** The block of a head: literals that no table remembers. */
    static byte[] block(String verb, String path, int fields, int fieldBytes) {
        ByteArrayOutputStream block = new ByteArrayOutputStream();
        literal(block, ":method", verb);
        literal(block, ":scheme", "https");
        literal(block, ":authority", "localhost");
        literal(block, ":path", path);
        String value = "v".repeat(fieldBytes);
        for (int i = 0; i < fields; i++) {
            literal(block, "x", value);
        }
        return block.toByteArray();
    }

    private static void literal(ByteArrayOutputStream block, String name, String value) {
        block.write(0);
        text(block, name);
        text(block, value);
    }

    private static void text(ByteArrayOutputStream block, String text) {
        int rest = text.length();
        if (rest < 127) {
            block.write(rest);
        } else {
            block.write(127);
            for (rest -= 127; rest >= 128; rest >>= 7) {
                block.write((rest & 127) | 128);
            }
            block.write(rest);
        }
        block.writeBytes(text.getBytes(StandardCharsets.US_ASCII));
    }

    /** A whole head, in as many frames as it needs. */
    static byte[] head(int stream, byte[] block, boolean endsStream) {
        ByteArrayOutputStream frames = new ByteArrayOutputStream(block.length + 64);
        int most = 16_384;
        for (int from = 0; from == 0 || from < block.length; from += most) {
            int to = Math.min(block.length, from + most);
            byte[] piece = java.util.Arrays.copyOfRange(block, from, to);
            int flags = (to == block.length ? END_HEADERS : 0) | (from == 0 && endsStream ? END_STREAM : 0);
            frames.writeBytes(frame(from == 0 ? HEADERS : CONTINUATION, flags, stream, piece));
        }
        return frames.toByteArray();
    }

    RawHttp2 send(byte[] frames) throws IOException {
        socket.getOutputStream().write(frames);
        socket.getOutputStream().flush();
        return this;
    }

    /** A frame as it came. */
    @SuppressWarnings("ArrayRecordComponent") // Never compared.
    record Frame(int type, int flags, int stream, byte[] payload) {}

    Frame read() throws IOException {
        int length = (in.readUnsignedByte() << 16) | in.readUnsignedShort();
        int type = in.readUnsignedByte();
        int flags = in.readUnsignedByte();
        int stream = in.readInt();
        return new Frame(type, flags, stream, in.readNBytes(length));
    }

    /** Reads up to a frame of this type on this stream. */
    Frame readUntil(int type, int stream) throws IOException {
        Frame frame = read();
        while (frame.type() != type || frame.stream() != stream) {
            frame = read();
        }
        return frame;
    }

    /** Reads until the server closes; true if it does. */
    boolean isClosed() {
        try {
            while (in.read() >= 0) {
                // Whatever comes before.
            }
            return true;
        } catch (java.net.SocketTimeoutException open) {
            return false;
        } catch (IOException reset) {
            return true;
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
