package cleave.chaos.load.workload;

import java.util.Locale;

/** The kind of an operation of a workload. Each counts as one operation, however many requests and entities it takes. */
public enum Action {
    /** A point read. */
    GET,
    /** A new entity. */
    INSERT,
    /** Changes one property of an entity and leaves the others. */
    MERGE,
    /** Replaces an entity, or inserts it if it was deleted. */
    REPLACE,
    DELETE,
    /** A query of some consecutive rows of one partition. */
    PAGE,
    /** A query of one partition. */
    PARTITION_SCAN,
    /** A query of the whole table. */
    TABLE_SCAN,
    /** An entity group transaction that replaces or inserts consecutive rows of one partition. */
    TRANSACTION,
    /** A point read, and then a merge of the same entity. */
    READ_MODIFY_WRITE;

    /** The name in files and reports, such as {@code partition-scan}. */
    public String id() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** True if it changes entities. */
    public boolean isWrite() {
        return switch (this) {
            case GET, PAGE, PARTITION_SCAN, TABLE_SCAN -> false;
            case INSERT, MERGE, REPLACE, DELETE, TRANSACTION, READ_MODIFY_WRITE -> true;
        };
    }
}
