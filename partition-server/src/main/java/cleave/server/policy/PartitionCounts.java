package cleave.server.policy;

import cleave.model.Key;
import java.util.ArrayList;
import java.util.List;

/** The number of entities of each partition that a scan has examined, in key order. Confined to one user after the other. */
public final class PartitionCounts {
    /** The last one stands for all later ones, too. */
    private static final int PARTITIONS_MAX = 16_384;

    private final List<Count> counts = new ArrayList<>();

    /** Entities of the partition of a key. */
    static final class Count {
        private final Key at;
        private int entities;

        private Count(Key at) {
            this.at = at;
        }

        Key at() {
            return at;
        }

        int entities() {
            return entities;
        }
    }

    /** An entity was examined; its key is above those before. */
    void add(Key key) {
        Count last = counts.isEmpty() ? null : counts.get(counts.size() - 1);
        if (last == null || (counts.size() < PARTITIONS_MAX && !key.isOfSamePartitionAs(last.at))) {
            last = new Count(key);
            counts.add(last);
        }
        last.entities++;
    }

    List<Count> counts() {
        return counts;
    }
}
