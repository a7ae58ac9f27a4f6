package cleave.frontend.odata;

/**
 * The address of a request, taken apart. Immutable.
 *
 * @param account without {@code -secondary}
 * @param secondary the read-only secondary was addressed
 * @param style {@link AddressStyle#PATH} or {@link AddressStyle#HOST}
 */
public record ResourceAddress(String account, boolean secondary, AddressStyle style, Resource resource) {
    /**
     * Reads an address.
     *
     * @param rawPath the path exactly as on the request line, not decoded, without the query
     * @param host the value of the Host header, port included; may be empty
     */
    public static ResourceAddress parse(String rawPath, String host, AddressStyle style) {
        throw new UnsupportedOperationException();
    }
}
