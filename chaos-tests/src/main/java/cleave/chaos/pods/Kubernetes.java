package cleave.chaos.pods;

import cleave.chaos.process.Patience;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What runs the pods of the manifests. This process reaches them by the names that they have for each other. Confined to its owner.
 */
interface Kubernetes extends AutoCloseable {
    /** Creates everything that the manifests want, as {@code kubectl apply} does. */
    void apply() throws IOException, InterruptedException;

    /** Runs a CronJob's job once, as {@code kubectl create job --from=cronjob/NAME} does; returns when it is complete. */
    void runJob(String cronJob) throws IOException, InterruptedException;

    /** Returns when every workload has as many pods as it wants and all of them are ready. */
    void awaitReady(Patience patience);

    /** The names of a workload's pods, without those that are on their way out. */
    List<String> pods(String workload) throws IOException, InterruptedException;

    /** Deletes a pod, which another one replaces. */
    void replace(String workload, String pod) throws IOException, InterruptedException;

    /** As {@link #replace}, but the pod's end sends no packets: its node has lost its network, and then died. */
    void replaceUnreachable(String workload, String pod) throws IOException, InterruptedException;

    /** Replaces all pods of a workload, as {@code kubectl rollout restart} does; returns when the last new one is ready. */
    void roll(String workload, Patience patience) throws IOException, InterruptedException;

    void scale(String workload, int replicas) throws IOException, InterruptedException;

    /** The folder of such a Secret's certificates; null if there is no such Secret. */
    @Nullable
    Path certificates(String secret) throws IOException, InterruptedException;

    /** Has connections from here to this port of {@code POD.WORKLOAD} reach the pods, as they do from other pods. */
    void connect(String workload, int port) throws IOException, InterruptedException;

    /** How the pods came to be ready, by name, as far as it is known. */
    Map<String, Pod.Start> starts();

    /** How often processes ended by themselves or were found unhealthy, and so were started again. */
    int restarts() throws IOException, InterruptedException;

    /** The ends of all logs, for a report of a failure. */
    String logTails();

    @Override
    void close() throws IOException;
}
