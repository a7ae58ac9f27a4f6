package cleave.chaos.pods;

import cleave.chaos.pods.Kubernetes.Loss;
import cleave.chaos.process.Patience;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.RollingUpdateDeployment;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A StatefulSet or a Deployment with its pods: acts as its controller, one step at a time. Confined to its owner,
 * except {@link #pods}.
 *
 * <p>Pods of a StatefulSet keep names and claims, and a new pod starts only when the old one has ended. Pods of a
 * Deployment have neither, and a new pod does not wait for the old one.
 */
final class PodSet {
    /** Creates a pod and starts it. */
    interface Maker {
        Pod make(String name, PodTemplateSpec template, Map<String, Path> claims) throws IOException;
    }

    private static final int NAMES_BEGIN = 100;

    private final String name;
    private final PodTemplateSpec template;
    private final boolean hasNumbers;
    /** A new pod is ready before an old one leaves; else an old one leaves first. */
    private final boolean surges;

    private final List<String> claims;
    private final Path claimed;
    private final Maker maker;
    private final List<Pod> pods = new CopyOnWriteArrayList<>();
    /** Pods that are not terminating, by name. */
    private final Map<String, Pod> kept =
            new TreeMap<>(Comparator.comparingInt(String::length).thenComparing(Comparator.naturalOrder()));

    private int replicas;
    private int made;

    private PodSet(
            String name,
            PodTemplateSpec template,
            int replicas,
            boolean hasNumbers,
            boolean surges,
            List<String> claims,
            Path claimed,
            Maker maker) {
        this.name = name;
        this.template = template;
        this.replicas = replicas;
        this.hasNumbers = hasNumbers;
        this.surges = surges;
        this.claims = claims;
        this.claimed = claimed;
        this.maker = maker;
    }

    /** @param claimed the folder of volumes that outlive pods */
    static PodSet of(StatefulSet set, Path claimed, Maker maker) {
        String name = set.getMetadata().getName();
        if (!"Parallel".equals(set.getSpec().getPodManagementPolicy())) {
            throw new IllegalArgumentException(
                    "StatefulSet " + name + ": only the podManagementPolicy Parallel is carried out");
        }
        PodTemplateSpec template = set.getSpec().getTemplate();
        template.getSpec().setSubdomain(set.getSpec().getServiceName());
        List<String> claims = set.getSpec().getVolumeClaimTemplates().stream()
                .map(PersistentVolumeClaim::getMetadata)
                .map(claim -> claim.getName())
                .toList();
        return new PodSet(name, template, set.getSpec().getReplicas(), true, false, claims, claimed, maker);
    }

    static PodSet of(Deployment deployment, Path claimed, Maker maker) {
        String name = deployment.getMetadata().getName();
        RollingUpdateDeployment update = deployment.getSpec().getStrategy() == null
                ? null
                : deployment.getSpec().getStrategy().getRollingUpdate();
        int more = update == null ? 0 : update.getMaxSurge().getIntVal();
        boolean isOneByOne = update != null
                && (more == 0 || more == 1)
                && update.getMaxUnavailable().getIntVal() == 1 - more;
        if (!isOneByOne && deployment.getSpec().getReplicas() > 0) {
            throw new IllegalArgumentException(
                    "Deployment " + name + ": only maxSurge 1 with maxUnavailable 0, or 0 with 1, is carried out");
        }
        return new PodSet(
                name,
                deployment.getSpec().getTemplate(),
                deployment.getSpec().getReplicas(),
                false,
                more == 1,
                List.of(),
                claimed,
                maker);
    }

    String name() {
        return name;
    }

    int replicas() {
        return replicas;
    }

    /** Pods that have not ended. */
    List<Pod> pods() {
        return pods.stream().filter(pod -> !pod.hasEnded()).toList();
    }

    /** Pods that are not terminating. */
    List<Pod> kept() {
        return List.copyOf(kept.values());
    }

    Pod kept(String pod) {
        return Objects.requireNonNull(kept.get(pod), pod);
    }

    boolean isReady() {
        return kept.size() == replicas && kept.values().stream().allMatch(Pod::isReady);
    }

    /**
     * Changes the number of its pods; a StatefulSet removes those with the highest numbers. Waits until removed pods
     * have ended.
     */
    void scale(int to) throws IOException, InterruptedException {
        replicas = to;
        List<Pod> leaving = new ArrayList<>();
        while (kept.size() > to) {
            Pod last = kept().get(kept.size() - 1);
            kept.remove(last.name());
            last.delete();
            leaving.add(last);
        }
        while (kept.size() < to) {
            add(hasNumbers ? name + "-" + kept.size() : newName());
        }
        for (Pod pod : leaving) {
            pod.awaitEnd();
        }
    }

    /** Replaces a pod by an equal one, like {@code kubectl delete pod}; returns when the new one has started. */
    void replace(Pod pod, Loss loss, Network network) throws IOException, InterruptedException {
        if (loss == Loss.NETWORK) {
            network.cut(pod.link());
            pod.kill();
        } else {
            pod.delete();
        }
        if (loss == Loss.VOLUMES) {
            pod.awaitEnd();
            for (String claim : claims) {
                Shell.run("rm", "-rf", claimed.resolve(claim + "-" + pod.name()).toString());
            }
        }
        successor(pod);
    }

    private Pod successor(Pod pod) throws IOException, InterruptedException {
        kept.remove(pod.name());
        if (!hasNumbers) {
            return add(newName());
        }
        pod.awaitEnd();
        return add(pod.name());
    }

    /** Replaces all pods one at a time, like {@code kubectl rollout restart}; returns when the last new one is ready. */
    void roll(Patience patience) throws IOException, InterruptedException {
        List<Pod> old = new ArrayList<>(kept());
        for (int i = old.size() - 1; i >= 0; i--) {
            Pod leaving = old.get(i);
            if (surges) {
                awaitReady(add(newName()), patience);
                kept.remove(leaving.name());
                leaving.delete();
            } else {
                leaving.delete();
                awaitReady(successor(leaving), patience);
            }
        }
        for (Pod pod : old) {
            pod.awaitEnd();
        }
    }

    private static void awaitReady(Pod pod, Patience patience) {
        patience.until(pod.name() + " is ready", pod::isReady);
    }

    private String newName() {
        return name + "-" + (NAMES_BEGIN + made);
    }

    private Pod add(String pod) throws IOException {
        made++;
        Map<String, Path> folders = new TreeMap<>();
        for (String claim : claims) {
            folders.put(claim, Files.createDirectories(claimed.resolve(claim + "-" + pod)));
        }
        Pod started = maker.make(pod, template, folders);
        kept.put(pod, started);
        pods.removeIf(Pod::hasEnded);
        pods.add(started);
        return started;
    }
}
