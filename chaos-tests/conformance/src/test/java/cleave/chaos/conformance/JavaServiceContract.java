package cleave.chaos.conformance;

import static cleave.chaos.conformance.JavaSdk.entity;
import static cleave.chaos.conformance.JavaSdk.failure;
import static cleave.chaos.conformance.JavaSdk.newTableName;
import static org.assertj.core.api.Assertions.assertThat;

import cleave.chaos.conformance.JavaSdk.Failure;
import cleave.client.Answer;
import cleave.client.Connection;
import cleave.client.Endpoint;
import cleave.client.Request;
import com.azure.core.credential.AzureNamedKeyCredential;
import com.azure.data.tables.TableClient;
import com.azure.data.tables.TableServiceAsyncClient;
import com.azure.data.tables.TableServiceClient;
import com.azure.data.tables.models.TableServiceCorsRule;
import com.azure.data.tables.models.TableServiceGeoReplication;
import com.azure.data.tables.models.TableServiceGeoReplicationStatus;
import com.azure.data.tables.models.TableServiceLogging;
import com.azure.data.tables.models.TableServiceMetrics;
import com.azure.data.tables.models.TableServiceProperties;
import com.azure.data.tables.models.TableServiceRetentionPolicy;
import java.io.IOException;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Properties of the service, its rules for other origins, its statistics and its secondary endpoint, by the Java SDK. */
abstract class JavaServiceContract {
    private static final String ORIGIN = "https://www.example.com";

    private final Endpoint endpoint;
    private final JavaSdk sdk;

    JavaServiceContract(Endpoint endpoint) {
        this.endpoint = endpoint;
        sdk = JavaSdk.of(endpoint);
    }

    @AfterEach
    void forgetProperties() {
        sdk.service()
                .setProperties(new TableServiceProperties()
                        .setLogging(new TableServiceLogging()
                                .setAnalyticsVersion("1.0")
                                .setRetentionPolicy(new TableServiceRetentionPolicy().setEnabled(false)))
                        .setHourMetrics(disabled())
                        .setMinuteMetrics(disabled())
                        .setCorsRules(List.of()));
    }

    private static TableServiceMetrics disabled() {
        return new TableServiceMetrics()
                .setVersion("1.0")
                .setEnabled(false)
                .setRetentionPolicy(new TableServiceRetentionPolicy().setEnabled(false));
    }

    private static TableServiceRetentionPolicy days(int days) {
        return new TableServiceRetentionPolicy().setEnabled(true).setDaysToRetain(days);
    }

    private static TableServiceCorsRule rule() {
        return new TableServiceCorsRule()
                .setAllowedOrigins(ORIGIN)
                .setAllowedMethods("GET,PUT")
                .setAllowedHeaders("x-ms-meta-a,x-ms-data*")
                .setExposedHeaders("x-ms-*")
                .setMaxAgeInSeconds(500);
    }

    @Test
    void propertiesComeBackAsTheyWereSet() {
        sdk.service()
                .setProperties(new TableServiceProperties()
                        .setLogging(new TableServiceLogging()
                                .setAnalyticsVersion("1.0")
                                .setReadLogged(true)
                                .setDeleteLogged(true)
                                .setRetentionPolicy(days(7)))
                        .setHourMetrics(new TableServiceMetrics()
                                .setVersion("1.0")
                                .setEnabled(true)
                                .setIncludeApis(true)
                                .setRetentionPolicy(days(365)))
                        .setMinuteMetrics(disabled())
                        .setCorsRules(List.of(rule())));
        TableServiceProperties read = sdk.service().getProperties();
        assertThat(read.getLogging().isReadLogged()).isTrue();
        assertThat(read.getLogging().isWriteLogged()).isFalse();
        assertThat(read.getLogging().isDeleteLogged()).isTrue();
        assertThat(read.getLogging().getRetentionPolicy().getDaysToRetain()).isEqualTo(7);
        assertThat(read.getHourMetrics().isEnabled()).isTrue();
        assertThat(read.getHourMetrics().isIncludeApis()).isTrue();
        assertThat(read.getHourMetrics().getTableServiceRetentionPolicy().getDaysToRetain())
                .isEqualTo(365);
        assertThat(read.getMinuteMetrics().isEnabled()).isFalse();
        assertThat(read.getCorsRules())
                .usingRecursiveFieldByFieldElementComparator()
                .containsExactly(rule());
    }

    @Test
    void whatIsNotSetStaysAsItIs() {
        TableServiceAsyncClient async = JavaSdk.builder(endpoint)
                .connectionString(endpoint.connectionString())
                .buildAsyncClient();
        async.setProperties(new TableServiceProperties()
                        .setMinuteMetrics(new TableServiceMetrics()
                                .setVersion("1.0")
                                .setEnabled(true)
                                .setIncludeApis(false)
                                .setRetentionPolicy(days(1))))
                .block();
        async.setProperties(new TableServiceProperties().setCorsRules(List.of(rule(), rule())))
                .block();
        TableServiceProperties read =
                Objects.requireNonNull(async.getProperties().block());
        assertThat(read.getMinuteMetrics().isEnabled()).isTrue();
        assertThat(read.getMinuteMetrics().isIncludeApis()).isFalse();
        assertThat(read.getCorsRules()).hasSize(2);
    }

    @Test
    void propertiesThatCannotBeAreRefused() {
        TableServiceProperties sixRules =
                new TableServiceProperties().setCorsRules(List.of(rule(), rule(), rule(), rule(), rule(), rule()));
        assertThat(failure(() -> sdk.service().setProperties(sixRules)).status())
                .isEqualTo(400);
        TableServiceProperties tooLong = new TableServiceProperties()
                .setHourMetrics(new TableServiceMetrics()
                        .setVersion("1.0")
                        .setEnabled(true)
                        .setIncludeApis(true)
                        .setRetentionPolicy(days(366)));
        assertThat(failure(() -> sdk.service().setProperties(tooLong)))
                .isEqualTo(new Failure(400, "InvalidXmlDocument"));
    }

    @Test
    void rulesForOtherOriginsAreObeyed() throws IOException {
        RawTable table = RawTable.create(endpoint);
        table.insert("p", "r");
        sdk.service().setProperties(new TableServiceProperties().setCorsRules(List.of(rule())));
        Answer allowed = awaited(() -> preflight(table, ORIGIN, "PUT"), answer -> answer.status() == 200);
        assertThat(allowed.header("Access-Control-Allow-Origin")).isEqualTo(ORIGIN);
        assertThat(allowed.header("Access-Control-Allow-Methods")).contains("PUT");
        assertThat(allowed.header("Access-Control-Allow-Headers")).contains("x-ms-data-x");
        assertThat(allowed.header("Access-Control-Max-Age")).isEqualTo("500");
        assertThat(allowed.header("Access-Control-Allow-Credentials")).isEqualTo("true");
        assertThat(preflight(table, ORIGIN, "DELETE").status()).isEqualTo(403);
        assertThat(preflight(table, "https://other.example.com", "PUT").status())
                .isEqualTo(403);
        Request get = Request.json("GET", table.address("p", "r"));
        Answer actual = awaited(
                () -> table.send(get.with("Origin", ORIGIN)),
                answer -> answer.header("Access-Control-Allow-Origin").equals(ORIGIN));
        assertThat(actual.status()).isEqualTo(200);
        Answer other = awaited(
                () -> table.send(get.with("Origin", "https://other.example.com")),
                answer -> answer.header("Vary").equals("Origin"));
        assertThat(other.status()).isEqualTo(200);
        assertThat(other.header("Access-Control-Allow-Origin")).isEmpty();
    }

    /** The first answer of this kind: front ends remember the rules for a while. */
    private static Answer awaited(Callable<Answer> exchange, Predicate<Answer> kind) {
        List<Answer> last = new ArrayList<>();
        JavaSdk.PATIENCE.until("the rules count", () -> {
            last.add(0, exchange.call());
            return kind.test(last.get(0));
        });
        return last.get(0);
    }

    private static Answer preflight(RawTable table, String origin, String method) throws IOException {
        try (Connection connection = table.connect()) {
            return connection.exchange(Request.of("OPTIONS", table.path())
                    .with("Origin", origin)
                    .with("Access-Control-Request-Method", method)
                    .with("Access-Control-Request-Headers", "x-ms-data-x"));
        }
    }

    private TableServiceClient secondary() {
        return JavaSdk.builder(endpoint)
                .endpoint(endpoint.url() + "-secondary")
                .credential(new AzureNamedKeyCredential(
                        endpoint.credential().account(), endpoint.sharedKey().key()))
                .buildClient();
    }

    @Test
    void statisticsAreToldBySecondaryAlone() {
        OffsetDateTime before = OffsetDateTime.now(ZoneOffset.UTC).minusMinutes(15);
        TableServiceGeoReplication told = secondary().getStatistics().getGeoReplication();
        assertThat(told.getStatus()).isEqualTo(TableServiceGeoReplicationStatus.LIVE);
        assertThat(told.getLastSyncTime())
                .isBetween(before, OffsetDateTime.now(ZoneOffset.UTC).plusMinutes(1));
        assertThat(failure(() -> sdk.service().getStatistics()))
                .isEqualTo(new Failure(400, "InvalidQueryParameterValue"));
    }

    @Test
    void theSecondaryReadsAndDoesNotWrite() {
        TableClient table = sdk.newTable();
        table.createEntity(entity("p", "r").addProperty("A", 1));
        TableClient second = secondary().getTableClient(table.getTableName());
        assertThat(second.getEntity("p", "r").getProperty("A")).isEqualTo(1);
        assertThat(second.listEntities()).hasSize(1);
        assertThat(failure(() -> second.createEntity(entity("p", "other"))).status())
                .isEqualTo(403);
        assertThat(failure(() -> secondary().createTable(newTableName())).status())
                .isEqualTo(403);
    }
}
