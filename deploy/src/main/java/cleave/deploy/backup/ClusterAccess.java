package cleave.deploy.backup;

import cleave.wire.RestoreRequest;
import cleave.wire.Status;
import cleave.wire.StatusReply;

/** What a backup and a restore ask of a cluster's masters, and how they wait. Each call blocks its caller. */
public interface ClusterAccess extends Waiting {
    /** The leader's answer. */
    StatusReply status();

    /** UNKNOWN_OUTCOME if it may have been done; nobody is asked a second time then. */
    Status restore(RestoreRequest request);

    /** Until something may have changed. */
    void pause();
}
