package cleave.model;

import cleave.model.entity.EntityCodec;

/** The limits of the Table service, and those that Cleave sets itself. */
public final class Limits {
    /** Properties of an entity besides PartitionKey, RowKey and Timestamp. */
    public static final int PROPERTIES_MAX = 252;

    public static final int PROPERTY_NAME_CHARS_MAX = 255;
    /** 1 KiB in UTF-16; for the PartitionKey and the RowKey each. */
    public static final int KEY_CHARS_MAX = 512;
    /** 64 KiB in UTF-16. */
    public static final int STRING_CHARS_MAX = 32 * 1024;

    public static final int BINARY_BYTES_MAX = 64 * 1024;
    /** By the formula of {@link EntityCodec#size}. */
    public static final int ENTITY_BYTES_MAX = 1 << 20;
    /** Body of an HTTP request. */
    public static final int REQUEST_BYTES_MAX = 4 << 20;

    public static final int TRANSACTION_OPERATIONS_MAX = 100;
    public static final int PAGE_ENTITIES_MAX = 1000;

    /** Maximum depth of a filter's tree, when chains of the same connective are balanced. */
    public static final int FILTER_DEPTH_MAX = 200;
    /** Comparisons, flags and connectives together. */
    public static final int FILTER_NODES_MAX = 20_000;

    /** A gRPC message. */
    public static final int MESSAGE_BYTES_MAX = 16 << 20;
    /** Size at which the answer to a scan ends, well below {@link #MESSAGE_BYTES_MAX}. */
    public static final int SCAN_BYTES_MAX = 4 << 20;
    /** Where the reply to a scan is cut that is to be sent on a stream which other requests share. */
    public static final int SHARED_SCAN_BYTES_MAX = 256 << 10;

    private Limits() {}
}
