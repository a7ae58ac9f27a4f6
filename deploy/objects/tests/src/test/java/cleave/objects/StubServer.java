package cleave.objects;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.IntFunction;

/** A server that answers what a test says, and remembers what it was asked. */
final class StubServer implements AutoCloseable {
    /** Immutable. */
    record Answer(int status, Map<String, String> headers, String body) {}

    private final HttpServer server;
    private final List<String> asked = new CopyOnWriteArrayList<>();

    /** @param answers by the number of the request, from 1 */
    StubServer(IntFunction<Answer> answers) throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> answer(exchange, answers));
        server.start();
    }

    private void answer(HttpExchange exchange, IntFunction<Answer> answers) throws IOException {
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        asked.add(exchange.getRequestMethod() + " " + exchange.getRequestURI() + "\n" + body);
        Answer answer = answers.apply(asked.size());
        byte[] bytes = answer.body().getBytes(StandardCharsets.UTF_8);
        answer.headers().forEach(exchange.getResponseHeaders()::set);
        exchange.sendResponseHeaders(answer.status(), bytes.length == 0 ? -1 : bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    List<String> asked() {
        return asked;
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
