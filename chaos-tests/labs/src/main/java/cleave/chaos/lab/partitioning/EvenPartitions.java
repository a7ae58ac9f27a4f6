package cleave.chaos.lab.partitioning;

import cleave.chaos.lab.LabEntity;
import cleave.chaos.load.Ask;
import cleave.chaos.load.SteadyLoad;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The partitions of a table, all of the same size, and a load on them. Immutable.
 *
 * @param count at most 100, so that their keys are in the order of their numbers
 */
record EvenPartitions(int count) {
    /** Of a partition, and of a request, which reads one. */
    static final int ENTITIES = 10;

    /** A range is soon hot for a balancer with these settings, and its parts are soon moved. */
    static final Map<String, String> SOON_HOT = Map.of(
            "balancer.split", "true",
            "balancer.move", "true",
            "balancer.split-load", "300",
            "balancer.split-child", "100%",
            "balancer.split-hits", "20",
            "balancer.split-hot-seconds", "1",
            "balancer.split-window-seconds", "2",
            "balancer.move-rest", "5s");

    static String key(int number) {
        return String.format(Locale.ROOT, "p%02d", number);
    }

    String first() {
        return key(0);
    }

    String last() {
        return key(count - 1);
    }

    List<LabEntity> entities() {
        List<LabEntity> entities = new ArrayList<>();
        for (int partition = 0; partition < count; partition++) {
            for (int row = 0; row < ENTITIES; row++) {
                entities.add(LabEntity.of(key(partition), "r" + row).with("Number", row));
            }
        }
        return entities;
    }

    /** Reads of whole partitions, evenly over those from this number on. */
    SteadyLoad.Demand reads(String table, int from) {
        return (requests, random) ->
                Ask.of(PartitionRead.of(requests, table, key(from + random.nextInt(count - from))));
    }
}
