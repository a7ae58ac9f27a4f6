package cleave.chaos.history;

/** The kind of an operation on one entity. */
public enum OperationKind {
    INSERT,
    REPLACE,
    MERGE,
    INSERT_OR_REPLACE,
    INSERT_OR_MERGE,
    DELETE,
    GET;

    public boolean isWrite() {
        return this != GET;
    }
}
