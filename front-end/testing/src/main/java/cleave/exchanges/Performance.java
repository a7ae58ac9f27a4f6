package cleave.exchanges;

import cleave.client.Request;
import cleave.exchanges.Scene.Exchange;
import cleave.exchanges.Stage.Answered;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.Assertions;

/** Plays one scene against a server and compares. Confined to one thread. */
final class Performance {
    private final Scene scene;
    private final Stage stage;
    private final Placeholders names;

    Performance(Scene scene, Stage stage) {
        this.scene = scene;
        this.stage = stage;
        String host = scene.account() + ".table.core.windows.net";
        String scheme = scene.isSecure() ? "https://" : "http://";
        Map<String, String> given = Map.of("account", scene.account(), "host", host, "base", scheme + host);
        this.names = new Placeholders(given, stage.now());
    }

    void play() throws IOException {
        boolean isPrepared = false;
        for (Exchange exchange : scene.exchanges()) {
            if (!exchange.prepares() && !isPrepared) {
                isPrepared = true;
                stage.prepared();
            }
            names.nextExchange();
            Request request = request(exchange);
            Answered answered = stage.exchange(bytes(request, exchange.sent().headers()));
            List<String> differences = differences(exchange, answered);
            if (!differences.isEmpty()) {
                Assertions.fail("%s\n  (front-end/testing/exchanges/%s.http:%d)\n%s %s\n\n%s\n\nthe whole answer:\n%s"
                        .formatted(
                                scene.id(),
                                scene.file(),
                                exchange.line(),
                                request.method(),
                                request.target(),
                                String.join("\n", differences),
                                shown(answered)));
            }
        }
    }

    private byte[] bytes(Request request, List<String> headers) {
        byte[] bytes = request.toBytes(headers.contains("Host:") ? "" : names.filled("{host}"));
        return headers.contains("Content-Length:")
                ? new String(bytes, StandardCharsets.ISO_8859_1)
                        .replaceFirst("\r\nContent-Length: \\d+", "")
                        .getBytes(StandardCharsets.ISO_8859_1)
                : bytes;
    }

    private Request request(Exchange exchange) {
        String[] line = names.filled(exchange.request()).split(" ", 2);
        Signing signing =
                Signing.parse(exchange.prepares() ? "shared-key-lite" : exchange.authorization(), names::filled);
        String body = names.filled(exchange.sent().body());
        Request request = new Request(
                line[0],
                line[1],
                exchange.sent().headers().stream()
                        .filter(header -> !(header.equals("Host:") || header.equals("Content-Length:")))
                        .map(names::filled)
                        .toList(),
                ("lf".equals(signing.words().get("lines")) ? body.replace("\r\n", "\n") : body)
                        .getBytes(StandardCharsets.UTF_8));
        return signing.signed(request, scene.account(), stage.now());
    }

    private List<String> differences(Exchange exchange, Answered answered) {
        List<String> differences = new ArrayList<>();
        if (exchange.prepares()) {
            return answered.status().startsWith("2") ? differences : List.of("the scene cannot be prepared");
        }
        if (!exchange.status().equals(answered.status())) {
            differences.add("status\n  expected " + exchange.status() + "\n  but was  " + answered.status());
        }
        List<String> left = new ArrayList<>(answered.headers());
        left.removeIf(header -> header.startsWith("Content-Length: ") || header.startsWith("Transfer-Encoding: "));
        for (String expected : exchange.expected().headers()) {
            String name = expected.substring(0, expected.indexOf(':') + 1);
            String actual = left.stream()
                    .filter(header -> header.startsWith(name))
                    .findFirst()
                    .orElse("");
            left.remove(actual);
            if (!names.matches(expected, actual)) {
                differences.add("header\n  expected " + shown(expected) + "\n  but was  "
                        + (actual.isEmpty() ? "absent" : actual));
            }
        }
        left.forEach(header -> differences.add("header\n  expected none\n  but was  " + header));
        differences.addAll(bodyDifferences(
                exchange.expected().body().split("\r\n", -1), answered.body().split("\r\n", -1)));
        return differences;
    }

    /** The first line that is another, so that long bodies need not be compared by eye. */
    private List<String> bodyDifferences(String[] expected, String[] actual) {
        for (int i = 0; i < Math.max(expected.length, actual.length); i++) {
            String wanted = i < expected.length ? expected[i] : "the end";
            String found = i < actual.length ? actual[i] : "the end";
            if (i >= expected.length || i >= actual.length || !names.matches(wanted, found)) {
                return List.of(
                        "line %d of the body\n  expected %s\n  but was  %s".formatted(i + 1, shown(wanted), found));
            }
        }
        return List.of();
    }

    /** With what is known already in its place. */
    private String shown(String expected) {
        return names.shown(expected);
    }

    private static String shown(Answered answered) {
        return "HTTP/1.1 " + answered.status() + "\n" + String.join("\n", answered.headers()) + "\n\n"
                + answered.body();
    }
}
