package cleave.frontend.core;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.frontend.core.FakeCluster.Fault;
import cleave.frontend.request.Answer;
import cleave.frontend.request.Request;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class ServiceTest {
    private static final String PROPERTIES = "/?restype=service&comp=properties";
    private static final String LOGGING = "<Logging><Version>1.0</Version><Read>true</Read><Write>false</Write>"
            + "<Delete>true</Delete><RetentionPolicy><Enabled>true</Enabled><Days>7</Days></RetentionPolicy></Logging>";
    private static final String RULE = "<CorsRule><AllowedMethods>GET</AllowedMethods><AllowedOrigins>http://a"
            + "</AllowedOrigins><AllowedHeaders /><ExposedHeaders /><MaxAgeInSeconds>5</MaxAgeInSeconds></CorsRule>";

    private final CoreClient client = new CoreClient();

    private static String change(String elements) {
        return "<StorageServiceProperties>" + elements + "</StorageServiceProperties>";
    }

    private String properties() {
        Answer answer = client.ask("GET", PROPERTIES);
        assertThat(answer.status()).isEqualTo(200);
        return CoreClient.text(answer);
    }

    @Test
    void changesAtTheSameTimeAreBothDone() {
        CompletableFuture<Answer> first = client.send("PUT", PROPERTIES, client.headers(), change(LOGGING));
        CompletableFuture<Answer> second =
                client.send("PUT", PROPERTIES, client.headers(), change("<Cors>" + RULE + "</Cors>"));

        assertThat(client.await(first).status()).isEqualTo(202);
        assertThat(client.await(second).status()).isEqualTo(202);
        assertThat(properties()).contains(LOGGING).contains(RULE);
    }

    @Test
    void aChangeThatCameBetweenIsKept() {
        client.ask("PUT", PROPERTIES, change("<Cors/>"));
        CoreClient other = new CoreClient(client.cluster);
        client.cluster.betweenReadAndWrite(() -> other.ask("PUT", PROPERTIES, change(LOGGING)));

        assertThat(client.ask("PUT", PROPERTIES, change("<Cors>" + RULE + "</Cors>"))
                        .status())
                .isEqualTo(202);

        assertThat(properties()).contains(LOGGING).contains(RULE);
    }

    @Test
    void propertiesAreNoTables() {
        client.ask("PUT", PROPERTIES, change(LOGGING));
        client.table("Orders");

        assertThat(CoreClient.text(client.ask("GET", "/Tables"))).isEqualTo("{\"value\":[{\"TableName\":\"Orders\"}]}");
        assertThat(client.ask("GET", "/devstoreaccount1()").status()).isEqualTo(404);
        assertThat(client.ask("GET", "/$properties()").status()).isEqualTo(404);
        assertThat(client.ask("DELETE", "/Tables('Orders')").status()).isEqualTo(204);
        assertThat(properties()).contains(LOGGING);
    }

    @ParameterizedTest
    @EnumSource(
            value = Fault.class,
            names = {"LOST_ANSWER", "NONSENSE"})
    void failuresAreSaid(Fault fault) {
        client.cluster.failNext(Fault.NONE, fault);

        Answer answer = client.ask("PUT", PROPERTIES, change(LOGGING));

        assertThat(answer.status()).isEqualTo(500);
        assertThat(answer.header("Content-Type")).isEqualTo("application/xml");
    }

    private Answer secondary(String verb, String target) {
        String whole = "/" + CoreClient.ACCOUNT + "-secondary" + target;
        SignedHeaders headers = client.headers().signed(whole, client.loop.ticks());
        Request request = Request.of("id", verb, whole, "http", "127.0.0.1", headers);
        try {
            return client.await(client.answer(request));
        } catch (cleave.frontend.protocol.odata.ServiceError error) {
            return client.refuse(request, error);
        }
    }

    @Test
    void theSecondaryShowsWhatThePrimaryDoes() {
        long table = client.table("Orders");
        client.entity(table, "p", "r", 1);

        for (String target : new String[] {
            "/Tables",
            "/Tables('Orders')",
            "/Orders()",
            "/Orders(PartitionKey='p',RowKey='r')",
            "/Orders?comp=acl",
            PROPERTIES
        }) {
            Answer answer = secondary("GET", target);
            assertThat(answer.status()).as(target).isEqualTo(200);
            assertThat(CoreClient.text(answer)).as(target).isEqualTo(CoreClient.text(client.ask("GET", target)));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "POST /Tables",
                "DELETE /Tables('Orders')",
                "POST /Orders",
                "PUT /Orders(PartitionKey='p',RowKey='r')",
                "PATCH /Orders(PartitionKey='p',RowKey='r')",
                "DELETE /Orders(PartitionKey='p',RowKey='r')",
                "PUT /Orders?comp=acl",
                "PUT " + PROPERTIES
            })
    void theSecondaryTakesNoWrites(String request) {
        client.table("Orders");
        String[] words = request.split(" ");

        Answer answer = secondary(words[0], words[1]);

        assertThat(answer.status()).isEqualTo(403);
        assertThat(CoreClient.text(answer)).contains("InsufficientAccountPermissions");
    }
}
