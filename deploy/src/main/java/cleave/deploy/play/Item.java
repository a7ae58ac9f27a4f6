package cleave.deploy.play;

/** The keys of an entity that one client alone writes. Immutable. */
record Item(String partition, String row) implements Comparable<Item> {
    @Override
    public int compareTo(Item other) {
        int byPartition = partition.compareTo(other.partition);
        return byPartition != 0 ? byPartition : row.compareTo(other.row);
    }

    @Override
    public String toString() {
        return partition + "/" + row;
    }
}
