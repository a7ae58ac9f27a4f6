package cleave.chaos.lab;

import cleave.chaos.client.Endpoint;
import cleave.chaos.picture.Chart;
import cleave.chaos.process.Cluster;
import cleave.deploy.admin.AdminClient;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/** What a lab runs on, and what it reports to. Confined to the lab's thread. */
public interface LabRun {
    /** The endpoint and account to work with. */
    Endpoint endpoint();

    /** Asks the masters, if the lab's card says that it needs a cluster; IllegalStateException if it does not. */
    AdminClient admin();

    /**
     * Changes settings of the balancer until the run ends; then they are as they were before, also if the run is interrupted.
     * IllegalStateException if the lab's card does not say that it needs a cluster.
     */
    void changeSettings(Map<String, String> changes);

    /**
     * The processes of an {@link LabCard.Needs#OWN_CLUSTER}; IllegalStateException if the card names another need: the cluster that labs share
     * may be one that a student started.
     */
    Cluster cluster();

    /** True in tests: the smallest form in which the claims still hold. */
    boolean isSmall();

    /** A number of entities, clients or seconds: the smaller one in tests. */
    default int of(int small, int full) {
        return isSmall() ? small : full;
    }

    /** The name of a table that this run alone uses; it does not exist yet, and is deleted after the run. */
    String table(String prefix);

    /** A blob store of this run alone, which is empty at first, and is dropped after the run. */
    BlobStore blobs() throws IOException;

    /** A line of progress, which is not part of the report. */
    void progress(String line);

    /** A paragraph of the report. */
    void say(String paragraph);

    /** Figures of the report. Each row has as many cells as there are heads; columns of numbers are set flush right. */
    void table(String caption, List<String> heads, List<List<String>> rows);

    /** A picture of the report. */
    void draw(Chart chart);

    /** What the run has to show. A claim that does not hold makes the command fail, and the test. */
    void claim(String claim, boolean holds, String seen);
}
