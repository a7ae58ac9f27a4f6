package cleave.frontend.protocol.auth;

/** A right that a request needs. */
public enum Right {
    /** Point gets and queries of entities. */
    QUERY,
    INSERT,
    /** Replaces and merges of entities that exist. */
    UPDATE,
    /** Replaces and merges that insert what does not exist. */
    UPSERT,
    DELETE,
    LIST_TABLES,
    CREATE_TABLE,
    DELETE_TABLE,
    /** The service's properties and statistics. */
    READ_SERVICE,
    WRITE_SERVICE,
    /** The stored access policies of a table, read or written. */
    ACCESS_POLICIES;

    /** True if it concerns the entities of one table. */
    public boolean isOfEntities() {
        return switch (this) {
            case QUERY, INSERT, UPDATE, UPSERT, DELETE -> true;
            default -> false;
        };
    }
}
