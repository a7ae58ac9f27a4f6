package cleave.deploy.backup;

import cleave.wire.RestoreRequest;
import cleave.wire.Status;
import cleave.wire.StatusReply;

/** The calls of a backup and a restore to a cluster's masters, and their waiting. Each call blocks its caller. */
public interface ClusterAccess extends Waiting {
    /** The leader's answer. */
    StatusReply status();

    /** UNKNOWN_OUTCOME if it may have been executed; it is not sent again then. */
    Status restore(RestoreRequest request);

    /** Waits until something may have changed. */
    void pause();
}
