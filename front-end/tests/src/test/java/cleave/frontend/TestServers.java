package cleave.frontend;

import cleave.frontend.FrontEndVerticle.Outside;
import cleave.frontend.core.FakeCluster;
import cleave.frontend.core.FakeMaster;
import cleave.frontend.http.Closings;
import cleave.frontend.metrics.FrontEndMetrics;
import cleave.frontend.protocol.auth.Accounts;
import cleave.frontend.protocol.auth.Authenticator;
import cleave.frontend.protocol.auth.Trace;
import cleave.frontend.settings.FrontEndConfig;
import cleave.frontend.throttle.AccountThrottle;
import cleave.runtime.settings.Settings;
import io.prometheus.client.CollectorRegistry;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;

/** Starts real HTTP servers before fake clusters. Stateless. */
final class TestServers {
    private TestServers() {}

    /** Without HTTPS. */
    static FrontEndServer start(
            FakeCluster cluster, FakeMaster master, CollectorRegistry registry, Map<String, String> more) {
        return start(cluster, master, registry, more, null);
    }

    /** @param more settings, over those of a server with two loops on a free port */
    static FrontEndServer start(
            FakeCluster cluster,
            FakeMaster master,
            CollectorRegistry registry,
            Map<String, String> more,
            @Nullable X509ExtendedKeyManager keys) {
        registry.clear();
        Map<String, String> settings = new TreeMap<>(Map.of(
                "front-end.listen", "127.0.0.1:0",
                "front-end.loops", "2",
                "front-end.development-account", "true",
                "seeds", "inproc:nowhere"));
        settings.putAll(more);
        FrontEndConfig config = FrontEndConfig.from(new Settings(settings));
        FrontEndMetrics metrics = new FrontEndMetrics(registry);
        FrontEndServer made = new FrontEndServer(
                config,
                new Outside(
                        (loop, thread) -> cluster,
                        cluster,
                        loop -> master,
                        () -> new Authenticator(Accounts::development, Trace.OFF),
                        Trace.OFF,
                        new AccountThrottle(config.accountEntitiesPerSecond()),
                        metrics,
                        new Closings(metrics),
                        keys,
                        null));
        try {
            made.start();
        } catch (IOException failed) {
            throw new AssertionError(failed);
        }
        return made;
    }

    /** How many connections and streams the server has ended for this reason. */
    static double ended(CollectorRegistry registry, String reason) {
        Double count = registry.getSampleValue(
                "cleave_front_end_connections_closed_total", new String[] {"reason"}, new String[] {reason});
        return count == null ? 0 : count;
    }
}
