package cleave.frontend.routing;

/** A range refused a table id because the table was dropped: its cache entry is stale. */
final class TableDropped extends RuntimeException {
    private static final long serialVersionUID = 1;

    TableDropped() {
        super("the table was dropped", null, false, false);
    }
}
