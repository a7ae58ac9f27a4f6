package cleave.board.frame;

/**
 * The lower bound of a bucket: it lies before a partition, or before a table. Immutable; ordered like the keys of entities.
 *
 * @param key a PartitionKey, or what it was hashed to; empty: the table's own beginning
 */
public record Cut(long table, String key) implements Comparable<Cut> {
    @Override
    public int compareTo(Cut other) {
        int byTable = Long.compareUnsigned(table, other.table);
        return byTable != 0 ? byTable : compareBytes(key, other.key);
    }

    /** The order of the texts' UTF-8 bytes, which is that of their code points. */
    private static int compareBytes(String one, String other) {
        int end = Math.min(one.length(), other.length());
        for (int i = 0; i < end; i++) {
            char a = one.charAt(i);
            char b = other.charAt(i);
            if (a != b) {
                boolean isByUnits = Character.isSurrogate(a) == Character.isSurrogate(b);
                return isByUnits ? Character.compare(a, b) : Character.isSurrogate(a) ? 1 : -1;
            }
        }
        return Integer.compare(one.length(), other.length());
    }
}
