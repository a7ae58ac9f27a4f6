package cleave.deploy.role;

import cleave.deploy.Version;
import cleave.model.FeatureLevels;
import cleave.runtime.rpc.Refusals;
import cleave.runtime.settings.ProcessMemory;
import cleave.runtime.tls.CredentialsFolder;
import io.prometheus.client.Collector;
import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.CounterMetricFamily;
import io.prometheus.client.GaugeMetricFamily;
import io.prometheus.client.hotspot.DefaultExports;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The metrics that the process of every role has, those of the Java machine among them. Thread-safe. Measured at each scrape. */
final class ProcessMetrics extends Collector implements Collector.Describable {
    private static final double NANOS = 1e9;

    private final Host host;
    private final AllocatedBytes allocated = new AllocatedBytes();

    /** The source of the figures. Thread-safe. */
    interface Host {
        /** Null until the role has started. */
        @Nullable
        ProcessMemory memory();

        /** Null without TLS, and until the role has started. */
        CredentialsFolder.@Nullable Use certificate();

        boolean isReady();

        /** How long each loop has run nothing, in nanoseconds; empty until the role has started. */
        Map<String, Long> silences();
    }

    private ProcessMetrics(Host host) {
        this.host = host;
    }

    static void register(CollectorRegistry registry, Host host) {
        DefaultExports.register(registry);
        new ProcessMetrics(host).register(registry);
    }

    @Override
    public List<MetricFamilySamples> collect() {
        return families(host.memory(), host.certificate(), host.isReady(), host.silences());
    }

    @Override
    public List<MetricFamilySamples> describe() {
        return families(null, null, false, Map.of());
    }

    private List<MetricFamilySamples> families(
            @Nullable ProcessMemory memory,
            CredentialsFolder.@Nullable Use certificate,
            boolean ready,
            Map<String, Long> silences) {
        List<MetricFamilySamples> families = new ArrayList<>();
        families.add(new GaugeMetricFamily(
                        "cleave_build_info",
                        "1, with the version of this build and the highest feature level that it supports.",
                        List.of("version", "feature_level"))
                .addMetric(List.of(Version.built(), Integer.toString(FeatureLevels.SUPPORTED.max())), 1));
        families.add(
                new GaugeMetricFamily("cleave_ready", "1 while the process is ready, as /readyz says.", ready ? 1 : 0));
        GaugeMetricFamily loops = new GaugeMetricFamily(
                "cleave_loop_silent_seconds",
                "How long an event loop has not run what was given to it at an earlier scrape or health check.",
                List.of("loop"));
        silences.forEach((loop, nanos) -> loops.addMetric(List.of(loop), nanos / NANOS));
        families.add(loops);
        GaugeMetricFamily planned = new GaugeMetricFamily(
                "cleave_memory_planned_bytes", "The most that a part of the process may come to use.", List.of("part"));
        if (memory != null) {
            planned.addMetric(List.of("heap"), (double) memory.heap());
            planned.addMetric(List.of("network-buffers"), (double) memory.direct());
            planned.addMetric(List.of("stores"), (double) memory.stores());
            planned.addMetric(List.of("total"), (double) memory.sum());
        }
        families.add(planned);
        families.add(new GaugeMetricFamily(
                "cleave_memory_limit_bytes",
                "Memory of the container, or of the machine where no container has a limit.",
                (double) ProcessMemory.limitBytes()));
        families.add(new CounterMetricFamily(
                "cleave_memory_allocated_bytes", "Bytes that threads have allocated on the heap.", (double)
                        allocated.soFar()));
        families.add(new CounterMetricFamily(
                "cleave_refused_calls",
                "Calls, and requests of operators to the admin port, that were refused because their callers may not make them.",
                (double) Refusals.soFar()));
        families.addAll(ofCertificate(certificate));
        return families;
    }

    private static List<MetricFamilySamples> ofCertificate(CredentialsFolder.@Nullable Use use) {
        return List.of(
                new GaugeMetricFamily(
                        "cleave_certificate_valid_from_timestamp_seconds",
                        "Begin of the certificate that is shown to other roles, in Unix time; 0 without TLS.",
                        use == null ? 0 : (double) use.validFrom().getEpochSecond()),
                new GaugeMetricFamily(
                        "cleave_certificate_expires_timestamp_seconds",
                        "Expiry of the certificate that is shown to other roles, in Unix time; 0 without TLS.",
                        use == null ? 0 : (double) use.expires().getEpochSecond()),
                new GaugeMetricFamily(
                        "cleave_certificate_outdated",
                        "1 while the certificate files are invalid, not yet valid or unreadable, and those before them stay in use.",
                        use != null && use.isOutdated() ? 1 : 0));
    }
}
