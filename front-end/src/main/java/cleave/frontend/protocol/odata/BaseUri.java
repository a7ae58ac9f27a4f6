package cleave.frontend.protocol.odata;

/**
 * The base of the addresses in a response. Immutable.
 *
 * @param account the addressed account
 * @param text scheme and host, with {@code /account} in path style; no trailing slash
 */
public record BaseUri(String account, String text) {
    /** @param host as in the Host header, with its port */
    public static BaseUri of(String scheme, String host, ResourceAddress address) {
        String root = scheme + "://" + host;
        String account = address.secondary() ? address.account() + "-secondary" : address.account();
        return new BaseUri(address.account(), address.style() == AddressStyle.PATH ? root + "/" + account : root);
    }

    /** {@code BASE/Tables('Orders')}: Location and DataServiceId of a new table. */
    public String ofTable(String name) {
        return text + "/" + tableLink(name);
    }

    /** {@code BASE/Orders(PartitionKey='p',RowKey='r')}: Location and DataServiceId of a new entity. */
    public String ofEntity(String table, String partitionKey, String rowKey) {
        return text + "/" + entityLink(table, partitionKey, rowKey);
    }

    /** The relative address of a table. */
    public static String tableLink(String name) {
        return "Tables('" + name + "')";
    }

    /** The relative address of an entity. The quotes of keys are doubled, and keys are percent-encoded: one client reads raw braces in a batch response as an error. */
    public static String entityLink(String table, String partitionKey, String rowKey) {
        return table + "(PartitionKey='" + literal(partitionKey) + "',RowKey='" + literal(rowKey) + "')";
    }

    private static String literal(String key) {
        return PercentCoding.encode(key.replace("'", "''"));
    }
}
