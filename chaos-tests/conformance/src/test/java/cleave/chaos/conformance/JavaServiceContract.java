package cleave.chaos.conformance;

import static cleave.chaos.conformance.JavaSdk.entity;
import static cleave.chaos.conformance.JavaSdk.failure;
import static cleave.chaos.conformance.JavaSdk.newTableName;
import static org.assertj.core.api.Assertions.assertThat;

import cleave.chaos.conformance.JavaSdk.Failure;
import cleave.client.Endpoint;
import com.azure.core.credential.AzureNamedKeyCredential;
import com.azure.data.tables.TableClient;
import com.azure.data.tables.TableServiceClient;
import com.azure.data.tables.models.TableServiceCorsRule;
import com.azure.data.tables.models.TableServiceGeoReplication;
import com.azure.data.tables.models.TableServiceGeoReplicationStatus;
import com.azure.data.tables.models.TableServiceLogging;
import com.azure.data.tables.models.TableServiceMetrics;
import com.azure.data.tables.models.TableServiceProperties;
import com.azure.data.tables.models.TableServiceRetentionPolicy;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
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
