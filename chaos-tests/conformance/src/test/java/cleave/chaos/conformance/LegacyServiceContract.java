package cleave.chaos.conformance;

import static cleave.chaos.conformance.LegacySdk.entity;
import static cleave.chaos.conformance.LegacySdk.read;
import static org.assertj.core.api.Assertions.assertThat;

import cleave.client.Endpoint;
import com.microsoft.azure.storage.CorsHttpMethods;
import com.microsoft.azure.storage.CorsProperties;
import com.microsoft.azure.storage.CorsRule;
import com.microsoft.azure.storage.GeoReplicationStatus;
import com.microsoft.azure.storage.LocationMode;
import com.microsoft.azure.storage.LoggingOperations;
import com.microsoft.azure.storage.LoggingProperties;
import com.microsoft.azure.storage.MetricsLevel;
import com.microsoft.azure.storage.MetricsProperties;
import com.microsoft.azure.storage.ServiceProperties;
import com.microsoft.azure.storage.ServiceStats;
import com.microsoft.azure.storage.StorageException;
import com.microsoft.azure.storage.table.CloudTable;
import com.microsoft.azure.storage.table.DynamicTableEntity;
import com.microsoft.azure.storage.table.TableOperation;
import com.microsoft.azure.storage.table.TableRequestOptions;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Date;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Properties of the service, its statistics and its secondary endpoint by the Java SDK of old programs. */
abstract class LegacyServiceContract {
    private final Instant now = Instant.now().truncatedTo(ChronoUnit.SECONDS);

    private final LegacySdk sdk;

    LegacyServiceContract(Endpoint endpoint) {
        sdk = LegacySdk.of(endpoint.connectionString() + "TableSecondaryEndpoint=" + endpoint.url() + "-secondary;");
    }

    @Test
    void propertiesComeBackAsTheyWereSet() throws StorageException {
        ServiceProperties before = sdk.client().downloadServiceProperties();
        ServiceProperties properties = new ServiceProperties();
        LoggingProperties logging = new LoggingProperties();
        logging.setLogOperationTypes(EnumSet.of(LoggingOperations.READ, LoggingOperations.WRITE));
        logging.setRetentionIntervalInDays(7);
        properties.setLogging(logging);
        properties.setHourMetrics(metrics(MetricsLevel.SERVICE_AND_API));
        properties.setMinuteMetrics(metrics(MetricsLevel.SERVICE));
        CorsRule rule = new CorsRule();
        rule.setAllowedOrigins(List.of("https://www.example.com", "https://example.org"));
        rule.setAllowedMethods(EnumSet.of(CorsHttpMethods.GET, CorsHttpMethods.MERGE));
        rule.setAllowedHeaders(List.of("x-ms-meta*"));
        rule.setExposedHeaders(List.of("x-ms-*", "etag"));
        rule.setMaxAgeInSeconds(60);
        CorsProperties cors = new CorsProperties();
        cors.getCorsRules().add(rule);
        properties.setCors(cors);
        sdk.client().uploadServiceProperties(properties);
        ServiceProperties read = sdk.client().downloadServiceProperties();
        assertThat(read).usingRecursiveComparison().isEqualTo(properties);
        before.setCors(new CorsProperties());
        sdk.client().uploadServiceProperties(before);
        assertThat(sdk.client().downloadServiceProperties())
                .usingRecursiveComparison()
                .isEqualTo(before);
    }

    private static MetricsProperties metrics(MetricsLevel level) {
        MetricsProperties metrics = new MetricsProperties();
        metrics.setMetricsLevel(level);
        metrics.setRetentionIntervalInDays(30);
        return metrics;
    }

    @Test
    void theSecondaryReadsAndTellsStatistics() throws StorageException {
        TableRequestOptions secondary = new TableRequestOptions();
        secondary.setLocationMode(LocationMode.SECONDARY_ONLY);
        ServiceStats stats = sdk.client().getServiceStats(secondary, null);
        assertThat(stats.getGeoReplication().getStatus()).isEqualTo(GeoReplicationStatus.LIVE);
        assertThat(stats.getGeoReplication().getLastSyncTime()).isAfter(Date.from(now.minusSeconds(900)));
        CloudTable table = sdk.newTable();
        table.execute(TableOperation.insert(entity("a", "1", "V", 1)));
        TableOperation retrieve = TableOperation.retrieve("a", "1", DynamicTableEntity.class);
        assertThat(table.execute(retrieve, secondary, null).<DynamicTableEntity>getResultAsType())
                .isNotNull();
    }
}
