package cleave.deploy.engine;

import io.prometheus.client.Collector;
import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.GaugeMetricFamily;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The metrics of a process of the engine: the disks of its folders, and what its program has in Prometheus' default registry. Thread-safe.
 */
final class EngineMetrics extends Collector implements Collector.Describable {
    private final List<Path> folders;

    EngineMetrics(List<Path> folders) {
        this.folders = List.copyOf(folders);
    }

    @Override
    public List<MetricFamilySamples> collect() {
        List<String> label = List.of("folder");
        GaugeMetricFamily free = new GaugeMetricFamily(
                "cleave_engine_disk_free_bytes", "Bytes free on the disk of a folder of a bookie or ZooKeeper.", label);
        GaugeMetricFamily total =
                new GaugeMetricFamily("cleave_engine_disk_total_bytes", "Size of the disk of such a folder.", label);
        for (Path folder : folders) {
            List<String> name = List.of(folder.toString());
            try {
                FileStore disk = Files.getFileStore(folder);
                free.addMetric(name, (double) disk.getUsableSpace());
                total.addMetric(name, (double) disk.getTotalSpace());
            } catch (IOException gone) {
                // A disk that is gone has no figures; the process says more.
            }
        }
        List<MetricFamilySamples> all =
                new ArrayList<>(Collections.list(CollectorRegistry.defaultRegistry.metricFamilySamples()));
        all.add(free);
        all.add(total);
        return all;
    }

    /** None, since the metrics of the program depend on its version. */
    @Override
    public List<MetricFamilySamples> describe() {
        return List.of();
    }
}
