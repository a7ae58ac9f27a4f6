package cleave.chaos.sim.world;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A call of an interface that is intercepted. Immutable.
 *
 * @param real the implementation to which it was sent
 */
@SuppressWarnings("ArrayRecordComponent") // Nobody changes it.
public record Intercepted(Object real, Method method, Object... arguments) {
    /** The implementation, but calls of these methods have the result of their change. Only its interfaces remain. */
    @SuppressWarnings("unchecked") // It has all interfaces of the real one, and T is one of them.
    public static <T> T changed(T real, Map<String, Function<Intercepted, @Nullable Object>> changes) {
        Set<Class<?>> types = new LinkedHashSet<>();
        for (Class<?> type = real.getClass(); type != null; type = type.getSuperclass()) {
            types.addAll(List.of(type.getInterfaces()));
        }
        return (T) Proxy.newProxyInstance(
                real.getClass().getClassLoader(), types.toArray(Class<?>[]::new), (proxy, method, arguments) -> {
                    Intercepted call = new Intercepted(real, method, arguments == null ? new Object[0] : arguments);
                    Function<Intercepted, @Nullable Object> change = changes.get(method.getName());
                    return change == null ? call.go() : change.apply(call);
                });
    }

    public static <T> T changed(T real, String name, Function<Intercepted, @Nullable Object> change) {
        return changed(real, Map.of(name, change));
    }

    /** The implementation, but the answers of this method are changed when they arrive. */
    public static <T, A> T withAnswers(T real, String name, Function<A, ?> change) {
        return changed(real, name, call -> call.then(change));
    }

    /** The result of the real call, once something else is done. */
    @Nullable
    public Object after(Runnable first) {
        first.run();
        return go();
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // As the interface declares it.
    public <A> A argument(int index) {
        return (A) arguments[index];
    }

    /** The result of the real call. */
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // As the interface declares it.
    public <R> R go() {
        try {
            return (R) method.invoke(real, arguments);
        } catch (InvocationTargetException failed) {
            if (failed.getCause() instanceof RuntimeException fault) {
                throw fault;
            }
            if (failed.getCause() instanceof Error fault) {
                throw fault;
            }
            throw new AssertionError(failed.getCause());
        } catch (IllegalAccessException impossible) {
            throw new AssertionError(impossible);
        }
    }

    /** The same with another argument. */
    @SuppressWarnings("TypeParameterUnusedInFormals")
    public <R> R goWith(int index, Object argument) {
        Object[] others = arguments.clone();
        others[index] = argument;
        return new Intercepted(real, method, others).go();
    }

    /** The real answer, changed when it arrives. */
    public <A> CompletableFuture<?> then(Function<A, ?> change) {
        return this.<CompletableFuture<A>>go().thenApply(change);
    }
}
