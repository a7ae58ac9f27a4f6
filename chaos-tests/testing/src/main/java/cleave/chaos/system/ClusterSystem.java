package cleave.chaos.system;

import cleave.chaos.process.Cluster;
import cleave.chaos.process.ClusterPlan;
import cleave.chaos.process.Patience;
import cleave.client.Endpoint;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.StoreScope;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives tests a cluster of separate processes (1 master, 3 servers, 1 front end, 1 DFS node), or an endpoint of it; started once
 * for all test classes of this JVM and ended with it. Tests that break something start a cluster of their own.
 */
public final class ClusterSystem implements ParameterResolver {
    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        return type == Endpoint.class || type == Cluster.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        if (parameter.getParameter().getType() == Cluster.class) {
            return cluster(context);
        }
        return SharedEndpoint.given()
                .orElseGet(() -> cluster(context).endpoints().get(0));
    }

    private static Cluster cluster(ExtensionContext context) {
        return context.getStore(StoreScope.LAUNCHER_SESSION, Namespace.create(ClusterSystem.class))
                .getOrComputeIfAbsent(Running.class)
                .cluster;
    }

    /** Closed by JUnit at the end of the session. */
    private static final class Running implements AutoCloseable {
        private final Cluster cluster = Cluster.started(
                ClusterPlan.in(Folders.fresh("cluster"))
                        .servers(3)
                        .set("front-end.table-memory", "1s")
                        .set(
                                "master.suspect",
                                "60s") // Nobody kills its servers, and a busy machine stops them for seconds.
                        .set("master.stream-grace", "60s"),
                Patience.ofSeconds(90));

        @Override
        public void close() {
            cluster.close();
        }
    }
}
