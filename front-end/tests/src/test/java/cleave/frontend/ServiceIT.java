package cleave.frontend;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.frontend.RawClient.Answer;
import cleave.frontend.core.FakeCluster.Fault;
import cleave.frontend.core.FakeMaster;
import cleave.frontend.core.SignedHeaders;
import cleave.runtime.loop.Await;
import io.prometheus.client.CollectorRegistry;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Requests of other origins, over the real HTTP server. */
class ServiceIT extends OnSockets {
    private static final String PROPERTIES = "/?restype=service&comp=properties";
    private static final String RULES =
            "<StorageServiceProperties><Cors><CorsRule><AllowedOrigins>http://a</AllowedOrigins>"
                    + "<AllowedMethods>GET</AllowedMethods><AllowedHeaders>*</AllowedHeaders><ExposedHeaders>x-ms-request-id"
                    + "</ExposedHeaders><MaxAgeInSeconds>9</MaxAgeInSeconds></CorsRule></Cors></StorageServiceProperties>";

    ServiceIT() {
        super("front-end.loops", "1");
    }

    @Test
    void aScriptOfAnotherOriginIsToldThatItIsNotSigned() throws IOException {
        String unsigned = "GET /devstoreaccount1/Tables HTTP/1.1\r\nHost: h\r\nOrigin: http://a\r\n\r\n";
        try (RawClient client = connect()) {
            client.ask("PUT", PROPERTIES, RULES);
        }
        FrontEndServer other = TestServers.start(cluster, new FakeMaster(cluster), new CollectorRegistry(), Map.of());
        try (RawClient client = new RawClient(other.port())) {
            Answer refused = client.send(unsigned).read();

            assertThat(refused.status()).isIn(401, 403);
            assertThat(refused.header("Access-Control-Allow-Origin")).isEqualTo("http://a");
            assertThat(client.ask("GET", "/Tables", "").status()).isEqualTo(200);
        } finally {
            other.close();
        }
    }

    @Test
    void aBodyThatIsTooLargeIsRefusedSuchThatAScriptCanReadIt() throws IOException {
        try (RawClient client = connect()) {
            client.ask("PUT", PROPERTIES, RULES.replace("GET", "POST"));
            SignedHeaders large = with("Origin", "http://a").with("Content-Length", "9000000");

            Answer refused = client.send(RawClient.head("POST", "/Orders", large) + "\r\n")
                    .read();

            assertThat(refused.status()).isEqualTo(413);
            assertThat(refused.header("Access-Control-Allow-Origin")).isEqualTo("http://a");
        }
    }

    @Test
    void aRefusalThatWaitsForRulesHoldsItsSlotWhenItsClientHasGone() {
        Await.until("a wait outlives its client", this::outlivesItsClient);
        awaitInFlight(0);
    }

    /** False if the rules were given up, as they are after two seconds, before the connection had closed. */
    private boolean outlivesItsClient() throws IOException {
        awaitInFlight(0);
        cluster.failNext(Fault.SILENCE);
        try (RawClient gone = connect()) {
            gone.send(
                    "POST /devstoreaccount1/Tables HTTP/1.1\r\nHost: h\r\nOrigin: http://a\r\nContent-Length: 9\r\n\r\n{");
            awaitInFlight(1);
        }
        await("cleave_front_end_connections", 0);
        try (RawClient next =
                connect()) { // The loop ends the exchange of a connection that has closed before it takes the next.
            next.send("GET /devstoreaccount1/Tables HTTP/1.1\r\nHost: h\r\n\r\n")
                    .read();
        }
        return registry.getSampleValue("cleave_front_end_requests_in_flight") == 1;
    }
}
