package cleave.deploy.role;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.runtime.settings.ProcessMemory;
import cleave.runtime.tls.CredentialsFolder;
import io.prometheus.client.CollectorRegistry;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ProcessMetricsTest {
    private final CollectorRegistry registry = new CollectorRegistry();
    private final AtomicReference<Double> counted = new AtomicReference<>(0.0);
    private CredentialsFolder.@Nullable Use certificate;

    @BeforeEach
    void register() {
        ProcessMetrics.register(registry, new ProcessMetrics.Host() {
            @Override
            public @Nullable ProcessMemory memory() {
                return null;
            }

            @Override
            public CredentialsFolder.@Nullable Use certificate() {
                return certificate;
            }

            @Override
            public boolean isReady() {
                return true;
            }

            @Override
            public Map<String, Long> silences() {
                return Map.of();
            }
        });
    }

    private double value(String name) {
        Double value = registry.getSampleValue(name);
        return value == null ? Double.NaN : value;
    }

    @Test
    void withoutTlsThereIsNoCertificateToExpire() {
        assertThat(value("cleave_certificate_expires_timestamp_seconds")).isZero();
        assertThat(value("cleave_certificate_valid_from_timestamp_seconds")).isZero();
        assertThat(value("cleave_certificate_outdated")).isZero();
    }

    @Test
    void aCertificateTellsItsLifetimeAndWhetherItsFilesAreInvalidNow() {
        certificate = new CredentialsFolder.Use(Instant.ofEpochSecond(1_000), Instant.ofEpochSecond(5_000), true);

        assertThat(value("cleave_certificate_expires_timestamp_seconds")).isEqualTo(5_000);
        assertThat(value("cleave_certificate_valid_from_timestamp_seconds")).isEqualTo(1_000);
        assertThat(value("cleave_certificate_outdated")).isEqualTo(1);
    }

    @Test
    void whatThreadsAllocateIsCounted() {
        double before = value("cleave_memory_allocated_bytes_total");

        byte[] allocated = new byte[10_000_000];

        assertThat(value("cleave_memory_allocated_bytes_total") - before).isGreaterThanOrEqualTo(allocated.length);
    }

    @Test
    void whatThreadsAllocatedThatHaveEndedStaysCounted() throws InterruptedException {
        double before = value("cleave_memory_allocated_bytes_total");
        Thread thread = new Thread(() -> {
            byte[] allocated = new byte[10_000_000];
            counted.set(value("cleave_memory_allocated_bytes_total") - before + allocated.length);
        });
        thread.start();
        thread.join();

        assertThat(counted.get()).isGreaterThanOrEqualTo(20_000_000);
        assertThat(value("cleave_memory_allocated_bytes_total") - before).isGreaterThanOrEqualTo(10_000_000);
    }
}
