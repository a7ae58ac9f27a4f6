package cleave.chaos.system;

import cleave.client.Endpoint;
import java.net.URI;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.StoreScope;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives tests parts of a running system, which is started once for all test classes of this JVM and ended with it.
 *
 * <p>In place of its endpoint they get that of {@code -Dcleave.test.endpoint=http://127.0.0.1:10002/devstoreaccount1} if one is given, for
 * running a contract against something else.
 */
abstract class SharedSystem<T extends AutoCloseable> implements ParameterResolver {
    private static final String GIVEN = "cleave.test.endpoint";

    private final Class<T> running;
    private final Map<Class<?>, Function<T, Object>> parts;

    /**
     * @param running started by its constructor, and closed by JUnit at the end of the session
     * @param parts by the type of a test's parameter
     */
    SharedSystem(Class<T> running, Map<Class<?>, Function<T, Object>> parts) {
        this.running = running;
        this.parts = parts;
    }

    @Override
    public final boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parts.containsKey(parameter.getParameter().getType());
    }

    @Override
    public final Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        String given = System.getProperty(GIVEN, "");
        if (type == Endpoint.class && !given.isEmpty()) {
            return Endpoint.development(URI.create(given));
        }
        return Objects.requireNonNull(parts.get(type))
                .apply(context.getStore(StoreScope.LAUNCHER_SESSION, Namespace.create(getClass()))
                        .getOrComputeIfAbsent(running));
    }
}
