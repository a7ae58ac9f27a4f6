package cleave.frontend.protocol.odata;

/** The place of the account in an address. */
public enum AddressStyle {
    /** In the first segment of the path: {@code http://127.0.0.1:10002/account/Orders}. */
    PATH,
    /** In the first label of the host: {@code https://account.table.example.net/Orders}. */
    HOST,
    /** In the host if that is a name with a dot, else in the path. An IP address and {@code localhost} name no account. */
    BY_HOST
}
