package cleave.chaos.load.workload;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Chooses the operations of one client. Confined to that client; equal seeds give equal operations if no other client inserts. Only inserts make
 * numbers that others see ({@link Items}).
 */
public final class Planner {
    private static final int ROW_DIGITS = 6;

    private final Workload workload;
    private final Shape shape;
    private final Items items;
    private final String run;
    private final Random random;
    private final Zipfian scrambled;
    private Zipfian latest;
    private long latestCount;

    /** @param run part of the RowKey of inserted entities, so that no other run on the same table inserts the same */
    public Planner(Workload workload, Items items, String run, long seed) {
        this.workload = workload;
        this.shape = workload.shape();
        this.items = items;
        this.run = run;
        this.random = new Random(Zipfian.hash(seed));
        this.scrambled = new Zipfian(Zipfian.SCRAMBLED_ITEMS, workload.zipfianConstant());
        this.latestCount = shape.items();
        this.latest = new Zipfian(latestCount, workload.zipfianConstant());
    }

    /** The next operation. */
    public Operation next() {
        Action action = workload.mix().choose(random);
        if (action == Action.INSERT) {
            return insert();
        }
        long item = existing();
        return switch (action) {
            case TRANSACTION -> transaction(item);
            case REPLACE, MERGE, READ_MODIFY_WRITE -> new Operation(action, item, List.of(key(item)), items.write());
            case GET, DELETE, PAGE, PARTITION_SCAN, TABLE_SCAN -> new Operation(action, item, List.of(key(item)), 0);
            case INSERT -> throw new AssertionError("an insert chooses no existing item");
        };
    }

    private Operation insert() {
        long item = items.insert();
        boolean isHot = workload.distribution() == Distribution.HOT && random.nextDouble() < workload.hotShare();
        EntityKey key = isHot ? new EntityKey(partitionKey(hotPartition()), freshRow(item)) : key(item);
        return new Operation(Action.INSERT, item, List.of(key), items.write());
    }

    /** Consecutive rows, from the item's row on, and round the end of the partition. */
    private Operation transaction(long item) {
        int operations = workload.transactionOperations();
        long partition = workload.layout().partition(shape, item);
        long first = workload.layout().row(shape, item);
        int rows = Math.max(shape.rows(), operations);
        List<EntityKey> keys = new ArrayList<>(operations);
        long firstWrite = items.write();
        for (int i = 0; i < operations; i++) {
            keys.add(new EntityKey(partitionKey(partition), row((first + i) % rows)));
            if (i > 0) {
                items.write();
            }
        }
        return new Operation(Action.TRANSACTION, item, keys, firstWrite);
    }

    private long existing() {
        return switch (workload.distribution()) {
            case UNIFORM -> (long) (random.nextDouble() * items.count());
            case ZIPFIAN -> Zipfian.hash(scrambled.next(random)) % shape.items();
            case LATEST -> latest();
            case HOT -> workload.layout().item(shape, hotOrOther(), random.nextInt(shape.rows()));
        };
    }

    private long latest() {
        long count = items.count();
        if (count != latestCount) {
            latestCount = count;
            latest = new Zipfian(count, workload.zipfianConstant());
        }
        return count - 1 - latest.next(random);
    }

    private int hotPartition() {
        return shape.partitions() / 2;
    }

    private int hotOrOther() {
        if (shape.partitions() == 1 || random.nextDouble() < workload.hotShare()) {
            return hotPartition();
        }
        int other = random.nextInt(shape.partitions() - 1);
        return other < hotPartition() ? other : other + 1;
    }

    /** The key of an item, loaded or inserted. */
    private EntityKey key(long item) {
        return item < shape.items()
                ? loadedKey(workload, item)
                : new EntityKey(
                        workload.layout()
                                .partitionKey(shape, workload.layout().partition(shape, item), workload.insertPrefix()),
                        freshRow(item));
    }

    private String freshRow(long item) {
        return row(workload.layout().row(shape, item)) + "-" + run
                + (workload.distribution() == Distribution.HOT ? "-" + item : "");
    }

    private String partitionKey(long partition) {
        return workload.layout().partitionKey(shape, partition, Workload.PREFIX);
    }

    /** The key of a loaded item. */
    public static EntityKey loadedKey(Workload workload, long item) {
        Layout layout = workload.layout();
        return new EntityKey(
                layout.partitionKey(workload.shape(), layout.partition(workload.shape(), item), Workload.PREFIX),
                row(layout.row(workload.shape(), item)));
    }

    private static String row(long row) {
        return Layout.padded("r", ROW_DIGITS, row);
    }
}
