package cleave.chaos.system;

import cleave.chaos.process.Patience;
import cleave.chaos.process.Standalone;
import cleave.client.Endpoint;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.StoreScope;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** Gives tests the endpoint of the all-in-one process, started once for all test classes of this JVM and ended with it. */
public final class StandaloneSystem implements ParameterResolver {
    private static final List<String> JVM = List.of("-Xmx768m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == Endpoint.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return SharedEndpoint.given()
                .orElseGet(() -> context.getStore(StoreScope.LAUNCHER_SESSION, Namespace.create(StandaloneSystem.class))
                        .getOrComputeIfAbsent(Running.class)
                        .standalone
                        .endpoint());
    }

    /** Closed by JUnit at the end of the session. */
    private static final class Running implements AutoCloseable {
        private final Standalone standalone =
                Standalone.planned(Folders.fresh("standalone"), JVM, Map.of("front-end.table-memory", "1s"));

        Running() {
            standalone.start(Patience.ofSeconds(60));
        }

        @Override
        public void close() {
            standalone.close();
        }
    }
}
