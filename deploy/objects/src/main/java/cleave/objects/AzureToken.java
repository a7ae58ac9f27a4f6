package cleave.objects;

import cleave.client.Requests;
import cleave.objects.StoreFailure.Kind;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A token for Azure's storage, fetched with the identity of the pod or machine and kept until shortly before its end. Thread-safe.
 *
 * <p>A pod has a workload identity: its own token, in a file, is exchanged for one of Entra. A virtual machine, or a pod without one, has a managed
 * identity, for which the instance's metadata service is asked.
 */
final class AzureToken {
    private static final JsonFactory JSON = new JsonFactory();
    private static final String METADATA = "http://169.254.169.254";
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Duration MARGIN = Duration.ofMinutes(5);
    private static final String ASSERTION = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
    private static final String OTHERS =
            "give --credentials FILE, AZURE_STORAGE_CONNECTION_STRING, AZURE_STORAGE_KEY or AZURE_STORAGE_SAS_TOKEN, or an"
                    + " identity of the pod or machine";
    private static final String RESOURCE = "https://storage.azure.com/";

    private final Map<String, String> environment;
    private final String metadata;
    private final HttpClient client =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();
    private final ReentrantLock fetching = new ReentrantLock();
    private String text = "";
    private long endNanos;

    /** @param environment the variables that Azure sets for a workload identity; AZURE_CLIENT_ID also chooses a managed one */
    AzureToken(Map<String, String> environment) {
        this(environment, METADATA);
    }

    AzureToken(Map<String, String> environment, String metadata) {
        this.environment = environment;
        this.metadata = metadata;
    }

    /** A token that is good for some minutes at least. */
    String text() throws StoreFailure {
        fetching.lock();
        try {
            if (text.isEmpty() || endNanos - System.nanoTime() < 0) {
                fetch();
            }
            return text;
        } finally {
            fetching.unlock();
        }
    }

    private void fetch() throws StoreFailure {
        String file = environment.getOrDefault("AZURE_FEDERATED_TOKEN_FILE", "");
        HttpRequest request = file.isEmpty() ? ofMachine() : ofPod(Path.of(file));
        String who = file.isEmpty()
                ? "the metadata service of this machine"
                : request.uri().getHost();
        HttpResponse<String> answer;
        try {
            answer = client.send(request, HttpResponse.BodyHandlers.ofString());
        } catch (IOException silent) {
            throw new StoreFailure(
                    Kind.REFUSED,
                    "no credentials are found: give --credentials FILE, AZURE_STORAGE_CONNECTION_STRING, AZURE_STORAGE_KEY or"
                            + " AZURE_STORAGE_SAS_TOKEN, or an identity of the pod or machine (" + who
                            + " does not answer)");
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new StoreFailure(Kind.REFUSED, "interrupted");
        }
        if (answer.statusCode() == 429 || answer.statusCode() >= 500) {
            throw new StoreFailure(Kind.TRANSIENT, who + " gives no token now: " + answer.statusCode());
        }
        if (answer.statusCode() != 200) {
            throw new StoreFailure(
                    Kind.REFUSED,
                    who + " gives no token for the identity: " + answer.statusCode() + " "
                            + answer.body().strip() + ". Correct it, or " + OTHERS);
        }
        take(who, answer.body());
    }

    private HttpRequest ofMachine() {
        String client = environment.getOrDefault("AZURE_CLIENT_ID", "");
        String query = "api-version=2018-02-01&resource=" + Requests.encode(RESOURCE)
                + (client.isEmpty() ? "" : "&client_id=" + Requests.encode(client));
        return HttpRequest.newBuilder(URI.create(metadata + "/metadata/identity/oauth2/token?" + query))
                .timeout(PATIENCE)
                .header("Metadata", "true")
                .build();
    }

    private HttpRequest ofPod(Path file) throws StoreFailure {
        String assertion;
        try {
            assertion = Files.readString(file).strip();
        } catch (IOException unreadable) {
            throw new StoreFailure(Kind.REFUSED, "AZURE_FEDERATED_TOKEN_FILE names " + file + ", which cannot be read");
        }
        String authority = environment
                .getOrDefault("AZURE_AUTHORITY_HOST", "https://login.microsoftonline.com")
                .replaceAll("/+$", "");
        String form = "grant_type=client_credentials&scope=" + Requests.encode(RESOURCE + ".default") + "&client_id="
                + Requests.encode(environment.getOrDefault("AZURE_CLIENT_ID", "")) + "&client_assertion_type="
                + Requests.encode(ASSERTION) + "&client_assertion=" + Requests.encode(assertion);
        return HttpRequest.newBuilder(URI.create(
                        authority + "/" + environment.getOrDefault("AZURE_TENANT_ID", "") + "/oauth2/v2.0/token"))
                .timeout(PATIENCE)
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(HttpRequest.BodyPublishers.ofString(form, StandardCharsets.UTF_8))
                .build();
    }

    private void take(String who, String answer) throws StoreFailure {
        String token = "";
        long seconds = 0;
        try (JsonParser json = JSON.createParser(answer)) {
            while (json.nextToken() != null) {
                if (json.currentToken() == JsonToken.FIELD_NAME) {
                    String name = json.currentName();
                    json.nextToken();
                    if (name.equals("access_token")) {
                        token = json.getText();
                    } else if (name.equals("expires_in")) {
                        seconds = Long.parseLong(json.getText());
                    }
                }
            }
        } catch (IOException | NumberFormatException other) {
            token = "";
        }
        if (token.isEmpty()) {
            throw new StoreFailure(Kind.REFUSED, who + " answers with something else than a token");
        }
        text = token;
        endNanos = System.nanoTime()
                + Math.max(0, Duration.ofSeconds(seconds).minus(MARGIN).toNanos());
    }
}
