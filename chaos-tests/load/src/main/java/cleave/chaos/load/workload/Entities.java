package cleave.chaos.load.workload;

/**
 * The contents of entities, each of them made of the number of the write alone, so that what is read tells which write it is. Stateless.
 */
public final class Entities {
    private static final String TEXT = "The quick brown fox jumps over the lazy dog. ";

    private Entities() {}

    /** A whole entity as JSON, of about this many bytes. */
    public static String whole(EntityKey key, long write, int bytes) {
        StringBuilder json = new StringBuilder(bytes + 64);
        json.append("{\"PartitionKey\":\"")
                .append(key.partition())
                .append("\",\"RowKey\":\"")
                .append(key.row())
                .append("\",\"Write\":\"")
                .append(write)
                .append("\",\"Write@odata.type\":\"Edm.Int64\",\"Count\":")
                .append(write % 1_000_000)
                .append(",\"Share\":0.25,\"Active\":true,\"Day\":\"2024-05-01T08:00:00.1234567Z\","
                        + "\"Day@odata.type\":\"Edm.DateTime\",\"Text\":\"");
        int rest = bytes - json.length() - 2;
        for (int at = (int) (write % TEXT.length()); rest > 0; rest--) {
            json.append(TEXT.charAt(at));
            at = at + 1 == TEXT.length() ? 0 : at + 1;
        }
        return json.append("\"}").toString();
    }

    /** The property Text of a whole entity, which fills it up. */
    public static String text(String whole) {
        return whole.substring(whole.lastIndexOf(":\"") + 2, whole.length() - 2);
    }

    /** The properties that a merge writes. */
    public static String merged(long write) {
        return "{\"Merged\":\"" + write + "\",\"Merged@odata.type\":\"Edm.Int64\"}";
    }
}
