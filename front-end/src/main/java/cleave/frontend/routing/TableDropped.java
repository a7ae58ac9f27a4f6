package cleave.frontend.routing;

/** A range refused a table id because the table was dropped: what is remembered of that table is out of date. */
final class TableDropped extends RuntimeException {
    private static final long serialVersionUID = 1;

    TableDropped() {
        super("the table was dropped", null, false, false);
    }
}
