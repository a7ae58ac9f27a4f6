package cleave.deploy.kubernetes;

import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServicePort;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.batch.v1.CronJob;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.gatewayapi.v1.HTTPRoute;
import io.fabric8.kubernetes.api.model.networking.v1.Ingress;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The rules for the objects by which pods are made and reached: StatefulSets, Jobs, Services, Ingresses. Confined to one thread. */
record ObjectRules(Manifests manifests, Violations violations) {
    private static final Set<String> ASKED_FOR = Set.of("cleave-found", "cleave-restore", "cleave-format");

    void check() {
        distinctSelectors();
        manifests.all(Service.class).forEach(this::service);
        manifests.all(StatefulSet.class).forEach(this::statefulSet);
        manifests.all(Ingress.class).forEach(this::ingress);
        manifests.all(HTTPRoute.class).forEach(this::route);
        founding();
    }

    private void distinctSelectors() {
        List<Map<String, String>> selectors = Workload.all(manifests).stream()
                .map(Workload::selector)
                .filter(selector -> !selector.isEmpty())
                .toList();
        violations.demand(Set.copyOf(selectors).size() == selectors.size(), "workloads", "two have the same selector");
    }

    private void service(Service service) {
        String name = "Service " + service.getMetadata().getName();
        List<Workload> selected = Workload.serving(manifests).stream()
                .filter(workload -> workload.labels()
                        .entrySet()
                        .containsAll(service.getSpec().getSelector().entrySet()))
                .toList();
        violations.demand(selected.size() == 1, name, "its selector selects " + selected);
        for (Workload workload : selected) {
            for (ServicePort port : service.getSpec().getPorts()) {
                Optional<Integer> target = port.getTargetPort() == null
                        ? Optional.empty()
                        : workload.port(port.getTargetPort().getStrVal());
                violations.demand(
                        target.isPresent() && target.get().equals(port.getPort()),
                        name,
                        "its port " + port.getPort() + " must be that of " + workload + " with the same name");
            }
        }
    }

    private void statefulSet(StatefulSet set) {
        String name = "StatefulSet " + set.getMetadata().getName();
        violations.demand(
                "Parallel".equals(set.getSpec().getPodManagementPolicy()),
                name,
                "podManagementPolicy must be Parallel");
        violations.demand(
                !set.getSpec().getVolumeClaimTemplates().isEmpty(),
                name,
                "without volumes of its own it should be a Deployment, which comes back by itself when its node is lost");
        var retention = set.getSpec().getPersistentVolumeClaimRetentionPolicy();
        violations.demand(
                retention != null
                        && "Retain".equals(retention.getWhenDeleted())
                        && "Retain".equals(retention.getWhenScaled()),
                name,
                "persistentVolumeClaimRetentionPolicy must retain its volumes");
        violations.demand(
                manifests
                        .find(Service.class, set.getSpec().getServiceName())
                        .filter(service -> "None".equals(service.getSpec().getClusterIP())
                                && Boolean.TRUE.equals(service.getSpec().getPublishNotReadyAddresses()))
                        .isPresent(),
                name,
                "it needs a headless Service that publishes addresses of pods that are not ready");
    }

    private void ingress(Ingress ingress) {
        String name = "Ingress " + ingress.getMetadata().getName();
        ingress.getSpec().getRules().stream()
                .flatMap(rule -> rule.getHttp().getPaths().stream())
                .map(path -> path.getBackend().getService())
                .forEach(backend -> violations.demand(
                        manifests
                                .find(Service.class, backend.getName())
                                .filter(service -> service.getSpec().getPorts().stream()
                                        .anyMatch(port -> port.getName()
                                                .equals(backend.getPort().getName())))
                                .isPresent(),
                        name,
                        "there is no such port of Service " + backend.getName()));
    }

    private void route(HTTPRoute route) {
        String name = "HTTPRoute " + route.getMetadata().getName();
        violations.demand(
                route.getSpec().getParentRefs().size() == 1
                        && !route.getSpec().getHostnames().isEmpty(),
                name,
                "it needs a Gateway and a host");
        route.getSpec().getRules().stream()
                .peek(rule -> violations.demand(
                        rule.getFilters().isEmpty(), name, "a filter may change what the signature covers"))
                .flatMap(rule -> rule.getBackendRefs().stream())
                .forEach(backend -> violations.demand(
                        manifests
                                .find(Service.class, backend.getName())
                                .filter(service -> service.getSpec().getPorts().stream()
                                        .anyMatch(port -> port.getPort().equals(backend.getPort())))
                                .isPresent(),
                        name,
                        "there is no such port of Service " + backend.getName()));
    }

    /** Nothing that is applied founds a cluster or restores one, and no Job overtakes its predecessor. */
    private void founding() {
        manifests
                .all(Job.class)
                .forEach(job -> violations.demand(
                        false,
                        "Job " + job.getMetadata().getName(),
                        "what is applied again must not run again, and an applied Job cannot get a new image"));
        manifests
                .all(CronJob.class)
                .forEach(job -> violations.demand(
                        Boolean.TRUE.equals(job.getSpec().getSuspend())
                                || !ASKED_FOR.contains(job.getMetadata().getName()),
                        "CronJob " + job.getMetadata().getName(),
                        "founding and restoring must be asked for, so it must be suspended"));
        manifests
                .all(CronJob.class)
                .forEach(job -> violations.demand(
                        "Forbid".equals(job.getSpec().getConcurrencyPolicy()),
                        "CronJob " + job.getMetadata().getName(),
                        "concurrencyPolicy must be Forbid"));
        manifests.all(CronJob.class).stream()
                .filter(job -> !Boolean.TRUE.equals(job.getSpec().getSuspend()))
                .forEach(job -> violations.demand(
                        job.getSpec().getJobTemplate().getSpec().getActiveDeadlineSeconds() != null,
                        "CronJob " + job.getMetadata().getName(),
                        "it needs activeDeadlineSeconds: with Forbid, a run that hangs prevents all later ones"));
    }
}
