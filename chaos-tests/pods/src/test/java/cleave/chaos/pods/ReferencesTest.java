package cleave.chaos.pods;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.deploy.kubernetes.Manifests;
import org.junit.jupiter.api.Test;

class ReferencesTest {
    private static final String MANIFEST = """
            apiVersion: apps/v1
            kind: Deployment
            metadata: {name: web}
            spec:
              template:
                spec:
                  containers:
                    - name: web
                      env:
                        - {name: PLAIN, value: a}
                        - {name: NAME, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
                        - {name: OTHER, valueFrom: {configMapKeyRef: {name: settings, key: OTHER}}}
                  volumes:
                    - {name: keys, secret: {secretName: accounts}}
                    - {name: tls, secret: {secretName: web-tls}}
                    - {name: cache, emptyDir: {}}
                    - {name: extra, secret: {secretName: extra, optional: true}}
            ---
            apiVersion: cert-manager.io/v1
            kind: Certificate
            metadata: {name: web}
            spec: {secretName: web-tls}
            """;
    private static final String CONFIG_MAP = """
            ---
            apiVersion: v1
            kind: ConfigMap
            metadata: {name: settings}
            data: {OTHER: b}
            """;
    private static final String SECRET = """
            ---
            apiVersion: v1
            kind: Secret
            metadata: {name: accounts}
            """;

    @Test
    void whatPodsNeedAndNothingMakesIsNamedWithThePods() {
        assertThat(References.missing(Manifests.parse(MANIFEST)))
                .hasValue("the manifests lack ConfigMap settings (for web), Secret accounts (for web): add them to the"
                        + " kustomization");
        assertThat(References.missing(Manifests.parse(MANIFEST + CONFIG_MAP)))
                .hasValueSatisfying(missing -> assertThat(missing).contains("lack Secret accounts (for web):"));
    }

    @Test
    void whatTheManifestsHaveOrACertificateMakesIsNotMissing() {
        assertThat(References.missing(Manifests.parse(MANIFEST + CONFIG_MAP + SECRET)))
                .isEmpty();
    }
}
