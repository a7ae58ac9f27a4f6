package cleave.deploy.cluster;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

/** Asks processes, on their admin port, whether they are ready. Thread-safe. */
final class ReadyProbe {
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(PATIENCE).build();

    /** {@code ready}, or what is missing. */
    String ask(String adminAddress) {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://" + adminAddress + "/readyz"))
                .timeout(PATIENCE)
                .build();
        try {
            HttpResponse<String> answer = http.send(request, BodyHandlers.ofString());
            return answer.statusCode() == 200 ? "ready" : answer.body().strip();
        } catch (IOException silent) {
            return "its admin port does not answer";
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return "interrupted";
        }
    }
}
