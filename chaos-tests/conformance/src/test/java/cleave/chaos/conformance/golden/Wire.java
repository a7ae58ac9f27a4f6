package cleave.chaos.conformance.golden;

import cleave.exchanges.Stage.Answered;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** One request on a connection of its own, and the answer as it stands on the wire. */
final class Wire {
    private static final int PATIENCE_MILLIS = 60_000;

    private Wire() {}

    /** Closes the connection. */
    static Answered exchange(Socket connection, byte[] request) throws IOException {
        try (Socket socket = connection) {
            socket.setSoTimeout(PATIENCE_MILLIS);
            socket.getOutputStream().write(request);
            InputStream in = new BufferedInputStream(socket.getInputStream());
            String status = line(in);
            List<String> headers = new ArrayList<>();
            int length = 0;
            for (String header = line(in); !header.isEmpty(); header = line(in)) {
                headers.add(header);
                if (header.startsWith("Content-Length: ")) {
                    length = Integer.parseInt(header.substring("Content-Length: ".length()));
                }
            }
            boolean hasBody = !new String(request, 0, 5, StandardCharsets.US_ASCII).equals("HEAD ");
            byte[] body = hasBody ? in.readNBytes(length) : new byte[0];
            return new Answered(
                    status.replaceFirst("^HTTP/1\\.1 ", ""), headers, new String(body, StandardCharsets.UTF_8));
        }
    }

    private static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder(128);
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new EOFException("the connection ended after '" + line + "'");
            }
            line.append((char) next);
        }
        if (line.isEmpty() || line.charAt(line.length() - 1) != '\r') {
            throw new IOException("a line without CR LF: " + line);
        }
        return line.substring(0, line.length() - 1);
    }
}
