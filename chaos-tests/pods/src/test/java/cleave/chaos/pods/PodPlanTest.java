package cleave.chaos.pods;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.deploy.kubernetes.Manifests;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The meaning of a pod's manifest on this machine. */
class PodPlanTest {
    private static final String MANIFEST = """
            apiVersion: v1
            kind: ConfigMap
            metadata: {name: settings-1a}
            data: {OTHER: "b:2", file.properties: "a=1"}
            ---
            apiVersion: apps/v1
            kind: Deployment
            metadata: {name: web}
            spec:
              template:
                metadata: {labels: {app: web}}
                spec:
                  terminationGracePeriodSeconds: 7
                  securityContext: {runAsUser: 10001, runAsGroup: 10002, fsGroup: 10003}
                  containers:
                    - name: web
                      args: [serve, --id, $(POD), --other=$(OTHER), $(UNKNOWN)]
                      env:
                        - {name: POD, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
                        - {name: ADDRESS, valueFrom: {fieldRef: {fieldPath: status.podIP}}}
                        - {name: OTHER, valueFrom: {configMapKeyRef: {name: settings-1a, key: OTHER}}}
                        - {name: BOTH, value: $(POD)-$(OTHER)}
                      ports: [{name: http, containerPort: 80}]
                      readinessProbe: {httpGet: {path: /ready, port: http}, periodSeconds: 3}
                      securityContext: {readOnlyRootFilesystem: true}
                      volumeMounts:
                        - {name: config, mountPath: /etc/web}
                        - {name: cache, mountPath: /cache}
                  volumes:
                    - {name: config, configMap: {name: settings-1a}}
                    - {name: cache, emptyDir: {}}
            """;

    @TempDir
    private Path folder;

    @Test
    void variablesConfigurationVolumesRightsAndProbesAreThoseOfTheManifest() throws IOException {
        PodPlan plan = plan(MANIFEST);

        assertThat(plan.command())
                .isEqualTo(List.of(Image.ENTRYPOINT, "serve", "--id", "web-1", "--other=b:2", "$(UNKNOWN)"));
        assertThat(new TreeMap<>(plan.environment()))
                .isEqualTo(Map.of("POD", "web-1", "ADDRESS", "10.244.0.7", "OTHER", "b:2", "BOTH", "web-1-b:2"));
        assertThat(plan.mounts())
                .isEqualTo(List.of(
                        new PodPlan.Mount(folder.resolve("volumes/config"), "/etc/web", true),
                        new PodPlan.Mount(folder.resolve("volumes/cache"), "/cache", false)));
        assertThat(Files.readString(folder.resolve("volumes/config/file.properties")))
                .isEqualTo("a=1");
        assertThat(plan.rights()).isEqualTo(new PodPlan.Rights(10001, 10002, 10003, true));
        assertThat(plan.graceSeconds()).isEqualTo(7);
        assertThat(plan.readiness())
                .isEqualTo(new Probe(80, "/ready", Duration.ofSeconds(3), Duration.ofSeconds(1), 3));
        assertThat(plan.startup()).isNull();
    }

    @Test
    void unsupportedFieldsAreRefused() {
        assertThatThrownBy(() -> plan(MANIFEST.replace(
                        "args: [serve", "lifecycle: {preStop: {exec: {command: [x]}}}\n          args: [serve")))
                .hasMessageContaining("hooks (lifecycle) are not carried out");
        assertThatThrownBy(() -> plan(MANIFEST.replace(
                        "      containers:", "      initContainers: [{name: first}]\n      containers:")))
                .hasMessageContaining("only pods with a single container are carried out");
        assertThatThrownBy(() -> plan(MANIFEST.replace("emptyDir: {}", "hostPath: {path: /}")))
                .hasMessageContaining("the volume cache is of a kind that is not carried out");
        assertThatThrownBy(
                        () -> plan(MANIFEST.replace("name: settings-1a, key: OTHER", "name: settings-1a, key: NONE")))
                .hasMessageContaining("there is no key NONE");
        assertThatThrownBy(() -> plan(MANIFEST.replace("metadata: {name: settings-1a}", "metadata: {name: other}")))
                .hasMessageContaining("the manifests have no ConfigMap settings-1a");
    }

    private PodPlan plan(String yaml) throws IOException {
        Manifests manifests = Manifests.parse(yaml);
        return PodPlan.of(
                manifests,
                "ns",
                "web-1",
                manifests.get(Deployment.class, "web").getSpec().getTemplate(),
                folder,
                Map.of(),
                "10.244.0.7");
    }
}
