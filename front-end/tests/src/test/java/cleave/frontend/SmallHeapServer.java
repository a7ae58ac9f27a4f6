package cleave.frontend;

import cleave.frontend.core.FakeCluster;
import cleave.frontend.core.FakeMaster;
import cleave.runtime.tls.CredentialsFolder;
import io.prometheus.client.CollectorRegistry;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/** The process of {@link SmallHeapIT}: a front end before a fake cluster. Tells its ports, then its metrics for each line it reads. */
final class SmallHeapServer {
    private SmallHeapServer() {}

    /** @param args the folder with the certificate, then {@code key=value} */
    public static void main(String[] args) throws Exception {
        Map<String, String> settings = new TreeMap<>(
                Map.of("front-end.loops", "1", "front-end.listen-tls", "127.0.0.1:0", "front-end.tls-dir", args[0]));
        for (int i = 1; i < args.length; i++) {
            settings.put(args[i].substring(0, args[i].indexOf('=')), args[i].substring(args[i].indexOf('=') + 1));
        }
        FakeCluster cluster = new FakeCluster();
        CollectorRegistry registry = new CollectorRegistry();
        FrontEndServer server = TestServers.start(
                cluster,
                new FakeMaster(cluster),
                registry,
                settings,
                CredentialsFolder.ofServer(Path.of(args[0]), CredentialsFolder.Listener.NONE)
                        .keys());
        System.out.println("ports " + server.port() + " " + server.tlsPort());
        while (System.in.read() >= 0) {
            StringBuilder metrics = new StringBuilder("metrics ");
            for (var family : java.util.Collections.list(registry.metricFamilySamples())) {
                for (var sample : family.samples) {
                    if (sample.name.contains("connections")) {
                        metrics.append(sample.name)
                                .append(sample.labelValues)
                                .append('=')
                                .append(sample.value)
                                .append(' ');
                    }
                }
            }
            System.out.write(metrics.append('\n').toString().getBytes(StandardCharsets.UTF_8));
            System.out.flush();
        }
        server.close();
    }
}
