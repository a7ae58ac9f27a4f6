package cleave.deploy.kubernetes;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Finds fields that the Kubernetes API does not have: the model keeps them aside, the API server would drop them or refuse the object.
 * Stateless.
 */
final class StrictModel {
    /** Kinds of others whose definitions are not at hand, with the fields of theirs that are used here. */
    private static final Map<String, Set<String>> OTHERS = Map.of(
            "cert-manager.io/v1 Issuer", Set.of("selfSigned", "ca", "ca.secretName"),
            "cert-manager.io/v1 Certificate",
                    Set.of(
                            "isCA",
                            "commonName",
                            "secretName",
                            "duration",
                            "renewBefore",
                            "privateKey",
                            "privateKey.algorithm",
                            "privateKey.size",
                            "privateKey.rotationPolicy",
                            "usages",
                            "uris",
                            "dnsNames",
                            "issuerRef",
                            "issuerRef.name",
                            "issuerRef.kind"),
            "monitoring.coreos.com/v1 PodMonitor",
                    Set.of(
                            "selector",
                            "selector.matchLabels",
                            "selector.matchLabels.app.kubernetes.io/name",
                            "selector.matchExpressions",
                            "selector.matchExpressions.key",
                            "selector.matchExpressions.operator",
                            "selector.matchExpressions.values",
                            "podMetricsEndpoints",
                            "podMetricsEndpoints.port",
                            "podMetricsEndpoints.path",
                            "podMetricsEndpoints.interval",
                            "podMetricsEndpoints.relabelings",
                            "podMetricsEndpoints.relabelings.sourceLabels",
                            "podMetricsEndpoints.relabelings.targetLabel"),
            "monitoring.coreos.com/v1 PrometheusRule",
                    Set.of(
                            "groups",
                            "groups.name",
                            "groups.rules",
                            "groups.rules.record",
                            "groups.rules.alert",
                            "groups.rules.expr",
                            "groups.rules.for",
                            "groups.rules.labels",
                            "groups.rules.labels.severity",
                            "groups.rules.annotations",
                            "groups.rules.annotations.summary",
                            "groups.rules.annotations.description",
                            "groups.rules.annotations.runbook_url",
                            "groups.rules.annotations.dashboard_url"));

    private StrictModel() {}

    static List<String> violations(Manifests manifests) {
        List<String> found = new ArrayList<>();
        for (HasMetadata object : manifests.objects()) {
            String name = object.getKind() + " " + object.getMetadata().getName();
            if (object instanceof GenericKubernetesResource other) {
                Set<String> known = OTHERS.get(other.getApiVersion() + " " + other.getKind());
                if (known == null) {
                    found.add(name + ": there is no " + other.getApiVersion() + " " + other.getKind());
                } else {
                    Set<String> used = new TreeSet<>();
                    paths("", other.get("spec"), used);
                    used.removeAll(known);
                    used.forEach(path -> found.add(name + ": there is no field spec." + path));
                }
            } else {
                walk(name, "", object, found);
            }
        }
        return found;
    }

    private static void paths(String path, Object value, Set<String> found) {
        if (value instanceof Map<?, ?> map) {
            map.forEach((key, inner) -> {
                String below = path.isEmpty() ? key.toString() : path + "." + key;
                found.add(below);
                paths(below, inner, found);
            });
        } else if (value instanceof List<?> list) {
            list.forEach(inner -> paths(path, inner, found));
        }
    }

    private static void walk(String name, String path, Object value, List<String> found) {
        if (value instanceof List<?> list) {
            list.forEach(inner -> walk(name, path, inner, found));
        } else if (value instanceof Map<?, ?> map) {
            map.forEach((key, inner) -> walk(name, path + "." + key, inner, found));
        } else if (value != null && value.getClass().getName().startsWith("io.fabric8.kubernetes.api.model.")) {
            getters(value).forEach(getter -> {
                Object inner = call(getter, value);
                if (!getter.getName().equals("getAdditionalProperties")) {
                    walk(name, path + "." + field(getter), inner, found);
                } else if (inner instanceof Map<?, ?> unknown) {
                    unknown.keySet().forEach(key -> found.add(name + ": there is no field " + path + "." + key));
                }
            });
        }
    }

    private static Stream<Method> getters(Object value) {
        return Stream.of(value.getClass().getMethods())
                .filter(method -> method.getName().startsWith("get")
                        && method.getParameterCount() == 0
                        && !method.getName().equals("getClass"))
                .sorted(Comparator.comparing(Method::getName));
    }

    private static String field(Method getter) {
        return Character.toLowerCase(getter.getName().charAt(3))
                + getter.getName().substring(4);
    }

    private static Object call(Method getter, Object value) {
        try {
            return getter.invoke(value);
        } catch (ReflectiveOperationException failed) {
            throw new LinkageError(getter.toString(), failed);
        }
    }
}
