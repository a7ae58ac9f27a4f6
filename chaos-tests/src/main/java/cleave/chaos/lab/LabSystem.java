package cleave.chaos.lab;

import cleave.chaos.client.Endpoint;
import cleave.chaos.process.Cluster;
import cleave.deploy.admin.AdminClient;
import org.jspecify.annotations.Nullable;

/**
 * What a lab runs on. Immutable.
 *
 * @param admin asks the masters; null: they cannot be asked
 * @param cluster its processes; null: the lab has no power over them
 */
public record LabSystem(
        Endpoint endpoint,
        @Nullable AdminClient admin,
        @Nullable Cluster cluster) {
    /** An endpoint of any deployment. */
    public static LabSystem of(Endpoint endpoint) {
        return new LabSystem(endpoint, null, null);
    }

    /** A cluster that this process started. */
    public static LabSystem of(Cluster cluster) {
        return new LabSystem(cluster.endpoints().get(0), cluster.admin(), cluster);
    }
}
