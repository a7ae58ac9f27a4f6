package cleave.chaos.pods;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A minimal DNS server (RFC 1035): answers one question over UDP with addresses (A) from a function, with a TTL of
 * {@value #TTL_SECONDS} seconds as CoreDNS has. Thread-safe.
 */
final class Names implements Closeable {
    static final int TTL_SECONDS = 5;

    private static final int PORT = 53;
    private static final int PACKET_BYTES_MAX = 512;
    private static final int HEADER_BYTES = 12;
    private static final int TYPE_A = 1;
    private static final int CLASS_INTERNET = 1;
    /** A pointer to the name in the question, which follows the header. */
    private static final int NAME_OF_QUESTION = 0xC000 | HEADER_BYTES;

    private static final int RESPONSE_AUTHORITATIVE = 0x8400;
    private static final int RECURSION_DESIRED = 0x0100;
    private static final int NO_SUCH_NAME = 3;
    private static final int ADDRESSES_MAX = 20;

    private final DatagramSocket socket;
    private final Function<String, @Nullable List<String>> lookup;

    private Names(DatagramSocket socket, Function<String, @Nullable List<String>> lookup) {
        this.socket = socket;
        this.lookup = lookup;
    }

    /** @param lookup finds the addresses of a full name without its last dot; null if there is no such name */
    static Names serve(String address, Function<String, @Nullable List<String>> lookup) throws IOException {
        Names names = new Names(new DatagramSocket(PORT, InetAddress.getByName(address)), lookup);
        Thread thread = new Thread(names::serve, "names");
        thread.setDaemon(true);
        thread.start();
        return names;
    }

    private void serve() {
        byte[] buffer = new byte[PACKET_BYTES_MAX];
        while (!socket.isClosed()) {
            try {
                DatagramPacket packet = new DatagramPacket(buffer, buffer.length);
                socket.receive(packet);
                byte[] answer = answer(Arrays.copyOf(buffer, packet.getLength()), lookup);
                if (answer.length > 0) {
                    socket.send(new DatagramPacket(answer, answer.length, packet.getSocketAddress()));
                }
            } catch (IOException | BufferUnderflowException lost) {
                // Datagrams may be lost; the client asks again.
            }
        }
    }

    /** Empty if the datagram is not a question. */
    static byte[] answer(byte[] packet, Function<String, @Nullable List<String>> lookup) throws IOException {
        ByteBuffer query = ByteBuffer.wrap(packet);
        if (packet.length < HEADER_BYTES || query.getShort(2) < 0 || query.getShort(4) != 1) {
            return new byte[0];
        }
        StringBuilder name = new StringBuilder();
        query.position(HEADER_BYTES);
        for (int length = query.get(); length > 0; length = query.get()) {
            byte[] label = new byte[length];
            query.get(label);
            name.append(name.isEmpty() ? "" : ".").append(new String(label, StandardCharsets.US_ASCII));
        }
        int type = query.getShort();
        query.getShort(); // The class.
        List<String> found = lookup.apply(name.toString().toLowerCase(Locale.ROOT));
        List<String> addresses =
                found == null || type != TYPE_A ? List.of() : found.subList(0, Math.min(ADDRESSES_MAX, found.size()));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeShort(query.getShort(0));
        out.writeShort(
                RESPONSE_AUTHORITATIVE | (query.getShort(2) & RECURSION_DESIRED) | (found == null ? NO_SUCH_NAME : 0));
        out.writeShort(1);
        out.writeShort(addresses.size());
        out.writeInt(0);
        out.write(packet, HEADER_BYTES, query.position() - HEADER_BYTES);
        for (String address : addresses) {
            out.writeShort(NAME_OF_QUESTION);
            out.writeShort(TYPE_A);
            out.writeShort(CLASS_INTERNET);
            out.writeInt(TTL_SECONDS);
            byte[] four = InetAddress.getByName(address).getAddress();
            out.writeShort(four.length);
            out.write(four);
        }
        return bytes.toByteArray();
    }

    @Override
    public void close() {
        socket.close();
    }
}
