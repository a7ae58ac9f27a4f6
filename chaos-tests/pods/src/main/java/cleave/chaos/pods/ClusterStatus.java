package cleave.chaos.pods;

import cleave.deploy.kubernetes.Manifests;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.client.readiness.Readiness;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

/** Workloads and pods as the Kubernetes API reports them. Immutable. */
record ClusterStatus(List<Workload> workloads) {
    private static final Set<String> ENDED = Set.of("Succeeded", "Failed");

    /** The names of pods in the order of creation by a StatefulSet. */
    private static final Comparator<String> BY_NUMBER =
            Comparator.comparingInt(String::length).thenComparing(Comparator.naturalOrder());

    /** @param pods that run or will run, including terminating ones */
    record Workload(String name, int replicas, List<Pod> pods) {
        /** The names of pods that are not terminating. */
        List<String> names() {
            return pods.stream()
                    .filter(pod -> !isTerminating(pod))
                    .map(pod -> pod.getMetadata().getName())
                    .sorted(BY_NUMBER)
                    .toList();
        }

        private boolean isReady() {
            return pods.size() == replicas && ready() == replicas;
        }

        private long ready() {
            return pods.stream()
                    .filter(pod -> !isTerminating(pod) && Readiness.isPodReady(pod))
                    .count();
        }

        private String shortfall() {
            long terminating = pods.stream().filter(Workload::isTerminating).count();
            return name + " has " + ready() + " Ready pods of " + replicas + ", and " + terminating + " terminate";
        }

        private static boolean isTerminating(Pod pod) {
            return pod.getMetadata().getDeletionTimestamp() != null;
        }
    }

    /** @param objects StatefulSets, Deployments and pods of the namespace */
    static ClusterStatus of(Manifests objects) {
        List<Pod> pods = objects.all(Pod.class).stream()
                .filter(pod -> !ENDED.contains(pod.getStatus().getPhase()))
                .filter(pod -> pod.getMetadata().getOwnerReferences().stream()
                        .noneMatch(owner -> owner.getKind().equals("Job")))
                .toList();
        List<Workload> workloads = new ArrayList<>();
        for (StatefulSet set : objects.all(StatefulSet.class)) {
            workloads.add(
                    workload(set, set.getSpec().getReplicas(), set.getSpec().getSelector(), pods));
        }
        for (Deployment deployment : objects.all(Deployment.class)) {
            workloads.add(workload(
                    deployment,
                    deployment.getSpec().getReplicas(),
                    deployment.getSpec().getSelector(),
                    pods));
        }
        return new ClusterStatus(List.copyOf(workloads));
    }

    private static Workload workload(HasMetadata object, int replicas, LabelSelector selector, List<Pod> pods) {
        List<Pod> own = pods.stream()
                .filter(pod -> pod.getMetadata()
                        .getLabels()
                        .entrySet()
                        .containsAll(selector.getMatchLabels().entrySet()))
                .toList();
        return new Workload(object.getMetadata().getName(), replicas, own);
    }

    Workload workload(String name) {
        return workloads.stream()
                .filter(workload -> workload.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("the namespace has no workload " + name));
    }

    /** Why workloads are not ready; empty if all are. */
    List<String> shortfalls() {
        return workloads.isEmpty()
                ? List.of("the namespace has no workload")
                : workloads.stream()
                        .filter(workload -> !workload.isReady())
                        .map(Workload::shortfall)
                        .toList();
    }

    int restarts() {
        return workloads.stream()
                .flatMap(workload -> workload.pods().stream())
                .flatMap(pod -> pod.getStatus().getContainerStatuses().stream())
                .mapToInt(container -> container.getRestartCount())
                .sum();
    }
}
