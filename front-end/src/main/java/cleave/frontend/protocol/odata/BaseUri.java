package cleave.frontend.protocol.odata;

/**
 * What stands before the resource in the addresses that answers contain. Immutable.
 *
 * @param account that was addressed
 * @param text scheme and host, with {@code /account} in path style; no slash at its end
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

    static String tableLink(String name) {
        return "Tables('" + name + "')";
    }

    /** Keys have their quotes doubled and are percent-encoded: a client takes raw braces in a batch's answer for an error. */
    static String entityLink(String table, String partitionKey, String rowKey) {
        return table + "(PartitionKey='" + literal(partitionKey) + "',RowKey='" + literal(rowKey) + "')";
    }

    private static String literal(String key) {
        return PercentCoding.encode(key.replace("'", "''"));
    }
}
