package cleave.chaos.load.workload;

/**
 * The operations of a load and how they are chosen. Immutable.
 *
 * @param zipfianConstant of the distributions zipfian and latest; above 0, below 1
 * @param hotShare what the hot partition gets, from 0 to 1
 * @param insertPrefix begins the PartitionKeys of inserted entities; {@value #PREFIX}, that of the loaded ones, puts them among those
 * @param pageRows entities of a page
 * @param transactionOperations of a transaction, 1 to 100
 * @param scanEntities after which a scan stops; 0: it goes to the end
 * @param scanFilter OData filter of scans beside their bounds; empty: none
 */
public record Workload(
        String name,
        String description,
        Mix mix,
        Distribution distribution,
        double zipfianConstant,
        double hotShare,
        Layout layout,
        Shape shape,
        String insertPrefix,
        int pageRows,
        int transactionOperations,
        int scanEntities,
        String scanFilter) {
    /** Begins the PartitionKeys of loaded entities. */
    public static final String PREFIX = "p";

    /** The same on one partition, which gets all of its operations: as many rows as before lie in that. */
    public Workload onOnePartition() {
        Shape one = new Shape(1, shape.rows(), 1, shape.entityBytes());
        return new Workload(
                name,
                description,
                mix,
                distribution == Distribution.HOT ? Distribution.UNIFORM : distribution,
                zipfianConstant,
                hotShare,
                Layout.SPREAD,
                one,
                PREFIX,
                pageRows,
                transactionOperations,
                scanEntities,
                scanFilter);
    }

    /** Describes it for people. */
    @Override
    public String toString() {
        return mix + "; " + distribution.id() + ", layout " + layout.id() + ", " + shape.partitions()
                + " partitions of " + shape.rows() + " rows, entities of " + shape.entityBytes() + " bytes";
    }
}
