package cleave.chaos.pods;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.chaos.pods.Kubernetes.Loss;
import cleave.chaos.process.Patience;
import cleave.deploy.CommandFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Checks the commands that a trial gives {@code kubectl}, and how it reads the answers. No cluster is asked. */
class KubectlClusterTest {
    private static final String MANIFESTS = """
            apiVersion: v1
            kind: Namespace
            metadata: {name: ns}
            ---
            apiVersion: apps/v1
            kind: Deployment
            metadata: {name: cleave-front-end}
            ---
            apiVersion: apps/v1
            kind: Deployment
            metadata: {name: cleave-server}
            ---
            apiVersion: apps/v1
            kind: StatefulSet
            metadata: {name: cleave-bookie}
            spec:
              volumeClaimTemplates:
                - metadata: {name: journal}
                - metadata: {name: ledgers}
            """;
    private static final String TARGET = "--context=lab --namespace=ns ";
    private static final String BOUND = " --request-timeout=30s";
    private static final String STATUS = "get statefulsets,deployments,pods";
    private static final Patience PATIENCE = Patience.ofSeconds(60);

    @TempDir
    private Path folder;

    private FakeKubectl kubectl;
    private Path hosts;

    @BeforeEach
    void aClusterWithoutTheNamespace() throws IOException {
        kubectl = FakeKubectl.in(folder.resolve("bin"));
        hosts = folder.resolve("hosts");
        kubectl.answer("kustomize /overlay", MANIFESTS);
        kubectl.answer("config current-context", "lab\n");
    }

    @Test
    void namespaceThatExistsIsLeftAlone() throws IOException {
        kubectl.answer(
                "get namespace", "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"ns\"}}");

        assertThatThrownBy(this::cluster)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("context lab has a namespace ns already")
                .hasMessageContaining("kubectl config use-context");
        assertThat(kubectl.commands())
                .isEqualTo(List.of(
                        "kustomize /overlay",
                        "config current-context",
                        TARGET + "get namespace ns -o json --ignore-not-found" + BOUND));
    }

    @Test
    void errorsOfKubectlArePassedOn() throws IOException {
        kubectl.refuse("get namespace", "Unable to connect to the server: no route to host\n");

        assertThatThrownBy(this::cluster)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("get namespace ns")
                .hasMessageEndingWith("ended with 1: Unable to connect to the server: no route to host");
    }

    @Test
    void eachEventIsACommandToTheContextThatWasCurrentAtTheBeginning() throws IOException, InterruptedException {
        try (KubectlCluster cluster = cluster()) {
            kubectl.commands();
            kubectl.answer("config current-context", "another\n");
            kubectl.answer("get service", service("", "10.96.7.7"));

            cluster.apply();
            cluster.runJob("cleave-found");
            cluster.replace("cleave-server", "cleave-server-7f-x2", Loss.NOTHING);
            cluster.replace("cleave-bookie", "cleave-bookie-3", Loss.VOLUMES);
            cluster.roll("cleave-front-end", Patience.ofSeconds(60));
            cluster.scale("cleave-server", 6);
        }

        assertThat(kubectl.commands())
                .isEqualTo(List.of(
                        TARGET + "apply -k /overlay" + BOUND,
                        TARGET + "get service cleave -o json --ignore-not-found" + BOUND,
                        TARGET + "create job --from=cronjob/cleave-found cleave-found" + BOUND,
                        TARGET + "wait --for=condition=complete job/cleave-found --timeout=300s",
                        TARGET + "delete pod cleave-server-7f-x2 --wait=false" + BOUND,
                        TARGET + "delete pvc journal-cleave-bookie-3 --wait=false" + BOUND,
                        TARGET + "delete pvc ledgers-cleave-bookie-3 --wait=false" + BOUND,
                        TARGET + "delete pod cleave-bookie-3 --wait=false" + BOUND,
                        TARGET + "rollout restart deployment/cleave-front-end" + BOUND,
                        TARGET + "rollout status deployment/cleave-front-end --timeout=60s",
                        TARGET + "scale deployment/cleave-server --replicas=6" + BOUND));
    }

    @Test
    void theServiceIsReachedAtItsLoadBalancerOrItsClusterIpOrWhereTheOperatorSays()
            throws IOException, InterruptedException {
        try (KubectlCluster cluster = cluster()) {
            kubectl.answer("get service", service("", "10.96.7.7"));
            cluster.apply();
            assertThat(Files.readAllLines(hosts)).isEqualTo(List.of("127.0.0.1 localhost", "10.96.7.7 cleave"));

            kubectl.answer("get service", service("{\"ip\":\"192.0.2.1\"}", "10.96.7.7"));
            cluster.apply();
            assertThat(Files.readAllLines(hosts)).contains("192.0.2.1 cleave");
        }
        try (KubectlCluster cluster = cluster("192.0.2.9")) {
            cluster.apply();
            assertThat(Files.readAllLines(hosts)).contains("192.0.2.9 cleave");
        }
    }

    @Test
    void waitEndsWhenAllPodsAreReady() throws IOException, InterruptedException {
        kubectl.answer(STATUS, status("False"));
        kubectl.answerNext(STATUS, status("True"));
        try (KubectlCluster cluster = cluster()) {
            kubectl.commands();

            cluster.awaitReady(PATIENCE);

            assertThat(kubectl.commands()).hasSize(2);
        }
    }

    @Test
    void waitThatEndsInVainSaysWhatIsMissingOrWhyKubectlFailed() throws IOException, InterruptedException {
        try (KubectlCluster cluster = cluster()) {
            kubectl.answer(STATUS, status("False"));
            assertThatThrownBy(() -> cluster.awaitReady(Patience.ofSeconds(0)))
                    .hasMessageContaining("cleave-master has 0 Ready pods of 1, and 0 terminate");

            kubectl.refuse(STATUS, "the server is currently unable to handle the request");
            assertThatThrownBy(() -> cluster.awaitReady(Patience.ofSeconds(0)))
                    .hasMessageContaining("the server is currently unable to handle the request");
        }
    }

    @Test
    void mastersAreReachedByNameThroughForwardsThatAreRestartedAfterAnEvent() throws IOException, InterruptedException {
        kubectl.answer(STATUS, status("True"));
        String forward = TARGET + "port-forward --address=127.10.100.1 pod/cleave-master-0 10100:10100";
        String question = TARGET + STATUS + " -o json --ignore-not-found" + BOUND;
        try (KubectlCluster cluster = cluster()) {
            cluster.connect("cleave-master", 10100);
            cluster.connect("cleave-master", 10100);
            awaitCommands(forward, 1);
            awaitCommands(question, 1);
            assertThat(Files.readAllLines(hosts)).contains("127.10.100.1 cleave-master-0.cleave-master");

            cluster.awaitReady(PATIENCE);
            cluster.connect("cleave-master", 10100);
            awaitCommands(forward, 2);
            awaitCommands(question, 3);
        }
    }

    /** A forward is noted by its own process, a little later. */
    private void awaitCommands(String command, int count) {
        Path noted = kubectl.folder().resolve("commands");
        PATIENCE.until(
                count + " times " + command, () -> Collections.frequency(Files.readAllLines(noted), command) == count);
    }

    @Test
    void forwardThatEndsIsReportedWithWhatItSaid() throws IOException, InterruptedException {
        kubectl.answer(STATUS, status("True"));
        kubectl.refuse("port-forward pod/cleave-master-0", "unable to listen on port 10100: address already in use");
        try (KubectlCluster cluster = cluster()) {
            cluster.connect("cleave-master", 10100);

            PATIENCE.until("it is reported", () -> {
                try {
                    cluster.connect("cleave-master", 10100);
                    return false;
                } catch (IOException reported) {
                    return Objects.requireNonNull(reported.getMessage())
                            .equals(
                                    "kubectl port-forward ended: unable to listen on port 10100: address already in use");
                }
            });
        }
    }

    @Test
    void certificatesAreThoseOfTheSecretWhereThereIsOne() throws IOException, InterruptedException {
        try (KubectlCluster cluster = cluster()) {
            assertThat(cluster.certificates("cleave-https")).isNull();

            kubectl.answer(
                    "get secret",
                    "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"name\":\"cleave-https\"},"
                            + "\"data\":{\"ca.crt\":\"dHJ1c3Q=\"}}");
            Path certificates = Objects.requireNonNull(cluster.certificates("cleave-https"));
            assertThat(Files.readString(certificates.resolve("ca.crt"))).isEqualTo("trust");
        }
    }

    @Test
    void folderWithoutKubectlIsRefusedByTheCommand() {
        assertThatThrownBy(() -> command("--kube-bin", folder.toString(), "leader"))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("KUBE_BIN (or --kube-bin) is '" + folder + "', which has no executable kubectl");
    }

    @Test
    void eventsThatKubectlCannotCauseAreRefusedByTheCommand() throws IOException {
        assertThatThrownBy(() -> command("--kube-bin", kubectl.folder().toString(), "leader", "leader-node"))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("the events that end in -node take a node's network away");
        assertThat(kubectl.commands()).isEmpty();
    }

    private static int command(String... arguments) throws IOException, InterruptedException {
        PodsCommand command = new PodsCommand();
        new CommandLine(command).parseArgs(arguments);
        return command.call();
    }

    private KubectlCluster cluster() throws IOException, InterruptedException {
        return cluster(null);
    }

    private KubectlCluster cluster(@Nullable String service) throws IOException, InterruptedException {
        return KubectlCluster.of(Kubectl.in(kubectl.folder()), Path.of("/overlay"), folder, hosts, service);
    }

    private static String service(String ingress, String clusterIp) {
        return "{\"apiVersion\":\"v1\",\"kind\":\"Service\",\"metadata\":{\"name\":\"cleave\"},\"spec\":{\"clusterIP\":\""
                + clusterIp + "\"},\"status\":{\"loadBalancer\":{\"ingress\":[" + ingress + "]}}}";
    }

    /** The output of {@code kubectl get}: one master, and the Deployment that is scaled to none. */
    private static String status(String ready) {
        return """
                {"apiVersion": "v1", "kind": "List", "metadata": {"resourceVersion": ""}, "items": [
                  {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "cleave-master"},
                   "spec": {"replicas": 1, "selector": {"matchLabels": {"app": "master"}}}},
                  {"apiVersion": "v1", "kind": "Pod",
                   "metadata": {"name": "cleave-master-0", "labels": {"app": "master"}},
                   "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "%s"}]}}]}
                """.formatted(ready);
    }
}
