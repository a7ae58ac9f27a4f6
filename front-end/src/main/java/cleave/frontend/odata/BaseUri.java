package cleave.frontend.odata;

/**
 * What stands before the resource in the addresses that answers contain. Immutable.
 *
 * @param account
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
        throw new UnsupportedOperationException();
    }

    /** {@code BASE/Orders(PartitionKey='p',RowKey='r')}: Location and DataServiceId of a new entity. */
    public String ofEntity(String table, String partitionKey, String rowKey) {
        throw new UnsupportedOperationException();
    }
}
