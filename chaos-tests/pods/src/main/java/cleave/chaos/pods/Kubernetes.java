package cleave.chaos.pods;

import cleave.chaos.process.Patience;
import cleave.deploy.kubernetes.Manifests;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Runs the pods of the manifests. This process reaches them by the names that they use among themselves. Confined to
 * its owner.
 */
interface Kubernetes extends AutoCloseable {
    /** Creates all objects of the manifests, like {@code kubectl apply}. */
    void apply() throws IOException, InterruptedException;

    /** The manifests that {@link #apply} creates. */
    Manifests manifests();

    /** Runs a CronJob's job once, like {@code kubectl create job --from=cronjob/NAME}; returns when it is complete. */
    void runJob(String cronJob) throws IOException, InterruptedException;

    /** Returns when every workload has all its pods and all are ready. */
    void awaitReady(Patience patience);

    /** The names of a workload's pods, without terminating ones. */
    List<String> pods(String workload) throws IOException, InterruptedException;

    /** What is lost with a pod that is deleted. */
    enum Loss {
        NOTHING,
        /** Its volumes: the pod that replaces it has empty ones. */
        VOLUMES,
        /** The network of its node, which then dies: the pod ends without sending packets. */
        NETWORK
    }

    /** Deletes a pod; another one replaces it. */
    void replace(String workload, String pod, Loss loss) throws IOException, InterruptedException;

    /** Replaces all pods of a workload, like {@code kubectl rollout restart}; returns when the last new one is ready. */
    void roll(String workload, Patience patience) throws IOException, InterruptedException;

    /** The same for several workloads at the same time, as {@code kubectl apply} of another image does. */
    void rollTogether(List<String> workloads, Patience patience) throws IOException, InterruptedException;

    void scale(String workload, int replicas) throws IOException, InterruptedException;

    /** The folder with this Secret's certificates; null if there is no such Secret. */
    @Nullable
    Path certificates(String secret) throws IOException, InterruptedException;

    /** Makes this port of {@code POD.WORKLOAD} reachable from here, as it is from other pods. */
    void connect(String workload, int port) throws IOException, InterruptedException;

    /** The starts of the pods, by name; none where the API has only the second at which a container began, and no processor time. */
    default Map<String, Pod.Start> starts() {
        return Map.of();
    }

    /** The number of restarts after a process had ended by itself or was unhealthy. */
    int restarts() throws IOException, InterruptedException;

    /** The last lines of all logs, for the report of a failure. */
    String logTails();

    @Override
    void close() throws IOException;
}
