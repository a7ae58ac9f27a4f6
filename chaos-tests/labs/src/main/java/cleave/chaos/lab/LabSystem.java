package cleave.chaos.lab;

import cleave.chaos.process.Cluster;
import cleave.client.Endpoint;
import cleave.client.SharedKey;
import cleave.deploy.admin.AdminClient;
import org.jspecify.annotations.Nullable;

/**
 * The system that a lab runs on. Immutable.
 *
 * @param admin asks the masters; null: they cannot be asked
 * @param cluster its processes; null: the lab has no power over them
 * @param isOwn true if its processes were started by this one, and end with it
 */
public record LabSystem(
        Endpoint endpoint,
        @Nullable AdminClient admin,
        @Nullable Cluster cluster,
        boolean isOwn) {
    /** The entities that a partition delivers each second where a card asks for {@link LabCard.Needs#THROTTLED}: a tenth of the documentation's target, for small loads. */
    public static final int PARTITION_ENTITIES_PER_SECOND = 200;

    /** The account beside that of all labs where a card asks for {@link LabCard.Needs#TWO_ACCOUNTS}; its key is no secret. */
    public static final SharedKey NEIGHBOUR = new SharedKey("neighbour", "bmVpZ2hib3VyIG9mIGxhYnM=");

    /** An endpoint of any deployment. */
    public static LabSystem of(Endpoint endpoint) {
        return new LabSystem(endpoint, null, null, false);
    }

    /** A cluster that this process started. */
    public static LabSystem of(Cluster cluster) {
        return new LabSystem(cluster.endpoints().get(0), cluster.admin(), cluster, true);
    }

    /** A process that this process started. */
    static LabSystem of(Endpoint endpoint, AdminClient admin) {
        return new LabSystem(endpoint, admin, null, true);
    }
}
