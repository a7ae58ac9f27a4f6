package cleave.chaos.pods;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.deploy.kubernetes.Manifests;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Checks when the pods of a cluster count as ready, by its API. */
class ClusterStatusTest {
    private static final String WORKLOADS = """
            apiVersion: apps/v1
            kind: StatefulSet
            metadata: {name: store}
            spec: {replicas: 2, selector: {matchLabels: {app: store}}}
            ---
            apiVersion: apps/v1
            kind: Deployment
            metadata: {name: admin}
            spec: {replicas: 0, selector: {matchLabels: {app: admin}}}
            """;

    @Test
    void workloadsAreReadyWhenAllTheirPodsAreReady() {
        assertThat(shortfalls(pod("store-0", "True", ""), pod("store-1", "True", "")))
                .isEmpty();
        assertThat(shortfalls(pod("store-0", "True", ""), pod("store-1", "False", "")))
                .isEqualTo(List.of("store has 1 Ready pods of 2, and 0 terminate"));
        assertThat(shortfalls(pod("store-0", "True", "")))
                .isEqualTo(List.of("store has 1 Ready pods of 2, and 0 terminate"));
    }

    @Test
    void aPodThatTerminatesIsNeitherReadyNorForgotten() {
        String leaving = ", deletionTimestamp: \"2026-11-23T00:00:00Z\"";
        ClusterStatus replaced = status(pod("store-0", "True", leaving), pod("store-1", "True", ""));
        ClusterStatus scaledDown =
                status(pod("store-0", "True", ""), pod("store-1", "True", ""), pod("store-2", "True", leaving));

        assertThat(replaced.shortfalls()).isEqualTo(List.of("store has 1 Ready pods of 2, and 1 terminate"));
        assertThat(replaced.workload("store").names()).isEqualTo(List.of("store-1"));
        assertThat(scaledDown.shortfalls()).isEqualTo(List.of("store has 2 Ready pods of 2, and 1 terminate"));
    }

    @Test
    void podsOfJobsAndPodsThatEndedBelongToNoWorkload() {
        String ofJob = ", ownerReferences: [{kind: Job, name: found}]";
        String ended = pod("store-2", "False", "").replace("phase: Running", "phase: Failed");
        String strange = "---\napiVersion: v1\nkind: Pod\nmetadata: {name: debug}\nstatus: {phase: Running}\n";

        assertThat(shortfalls(
                        pod("store-0", "True", ""),
                        pod("store-1", "True", ""),
                        pod("store-9", "False", ofJob),
                        ended,
                        strange))
                .isEmpty();
    }

    @Test
    void podsAreInTheOrderOfTheirNumbersAndTheirRestartsAreAdded() {
        ClusterStatus status = status(pod("store-10", "True", ""), pod("store-9", "True", ""));

        assertThat(status.workload("store").names()).isEqualTo(List.of("store-9", "store-10"));
        assertThat(status.restarts()).isEqualTo(6);
    }

    @Test
    void aNamespaceWithoutWorkloadsIsNotReady() {
        assertThat(new ClusterStatus(List.of()).shortfalls()).isEqualTo(List.of("the namespace has no workload"));
    }

    private static List<String> shortfalls(String... pods) {
        return status(pods).shortfalls();
    }

    private static ClusterStatus status(String... pods) {
        return ClusterStatus.of(Manifests.parse(WORKLOADS + String.join("", pods)));
    }

    private static String pod(String name, String ready, String metadata) {
        return """
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: %s, labels: {app: store, more: than-asked}%s}
                status:
                  phase: Running
                  conditions: [{type: PodScheduled, status: "True"}, {type: Ready, status: "%s"}]
                  containerStatuses: [{name: store, restartCount: 3}]
                """.formatted(name, metadata, ready);
    }
}
