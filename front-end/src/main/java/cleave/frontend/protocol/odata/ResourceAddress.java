package cleave.frontend.protocol.odata;

import java.util.Locale;

/**
 * The parsed address of a request. Immutable.
 *
 * @param account without {@code -secondary}
 * @param secondary true for the read-only secondary endpoint
 * @param style {@link AddressStyle#PATH} or {@link AddressStyle#HOST}
 */
public record ResourceAddress(String account, boolean secondary, AddressStyle style, Resource resource) {
    static final String SECONDARY = "-secondary";

    /**
     * Reads an address.
     *
     * @param rawPath the path exactly as on the request line, not decoded, without the query
     * @param host the value of the Host header, port included; may be empty
     */
    public static ResourceAddress parse(String rawPath, String host, AddressStyle style) {
        String path = rawPath.isEmpty() ? "/" : rawPath;
        if (path.charAt(0) != '/') {
            throw ServiceError.of(ServiceCode.INVALID_URI);
        }
        AddressStyle actual = style == AddressStyle.BY_HOST ? styleOf(host) : style;
        return actual == AddressStyle.HOST ? ofHost(path, host) : ofPath(path);
    }

    /**
     * Reads the address of a request inside a batch: an absolute URI or path, without the query. In path style it names the
     * account of the batch or none; its scheme and host are ignored.
     */
    public static ResourceAddress parseInner(String uri, ResourceAddress outer) {
        String path = uri;
        int scheme = uri.indexOf("://");
        if (scheme > 0 && uri.charAt(0) != '/') {
            int slash = uri.indexOf('/', scheme + 3);
            path = slash < 0 ? "/" : uri.substring(slash);
        }
        if (path.isEmpty() || path.charAt(0) != '/') {
            throw ServiceError.of(ServiceCode.INVALID_URI);
        }
        if (outer.style == AddressStyle.HOST) {
            return new ResourceAddress(
                    outer.account, outer.secondary, outer.style, resource(outer.account, path.substring(1)));
        }
        int slash = withoutLastSlash(path).indexOf('/', 1);
        String segment = slash < 0 ? withoutLastSlash(path) : path.substring(0, slash);
        if (segment.equals("/" + outer.account) || segment.equals("/" + outer.account + SECONDARY)) {
            return ofPath(path);
        }
        if (slash >= 0) {
            throw ServiceError.of(ServiceCode.INVALID_INPUT, "The operation addresses another account than its batch.");
        }
        return new ResourceAddress(
                outer.account, outer.secondary, outer.style, resource(outer.account, path.substring(1)));
    }

    /** The address that a request with this method means by it. */
    public ResourceAddress meantBy(Method method) {
        return new ResourceAddress(account, secondary, style, resource.meantBy(method));
    }

    private static AddressStyle styleOf(String host) {
        String name = withoutPort(host);
        boolean namesAccount = name.indexOf('.') > 0
                && name.indexOf(':') < 0
                && !isIpAddress(name)
                && !name.equalsIgnoreCase("host.docker.internal");
        return namesAccount ? AddressStyle.HOST : AddressStyle.PATH;
    }

    private static boolean isIpAddress(String name) {
        for (int i = 0; i < name.length(); i++) {
            if (!Text.isDigit(name.charAt(i)) && name.charAt(i) != '.') {
                return false;
            }
        }
        return true;
    }

    /** An IPv6 address keeps its colons. */
    private static String withoutPort(String host) {
        if (host.startsWith("[")) {
            return host;
        }
        int colon = host.indexOf(':');
        return colon < 0 ? host : host.substring(0, colon);
    }

    private static ResourceAddress ofHost(String path, String host) {
        String name = withoutPort(host);
        int dot = name.indexOf('.');
        String label = dot < 0 ? name : name.substring(0, dot);
        if (label.isEmpty()) {
            throw ServiceError.of(ServiceCode.HOST_INFORMATION_NOT_PRESENT);
        }
        return of(label.toLowerCase(Locale.ROOT), AddressStyle.HOST, path.substring(1));
    }

    private static ResourceAddress ofPath(String path) {
        int slash = path.indexOf('/', 1);
        String segment = slash < 0 ? path.substring(1) : path.substring(1, slash);
        String account =
                PercentCoding.decode(segment, false).orRefuse(ServiceCode.INVALID_URI, ServiceCode.INVALID_URI);
        if (account.isEmpty()) {
            throw ServiceError.of(ServiceCode.INVALID_URI);
        }
        return of(account, AddressStyle.PATH, slash < 0 ? "" : path.substring(slash + 1));
    }

    private static ResourceAddress of(String label, AddressStyle style, String rawResource) {
        boolean secondary = label.endsWith(SECONDARY) && label.length() > SECONDARY.length();
        String account = secondary ? label.substring(0, label.length() - SECONDARY.length()) : label;
        return new ResourceAddress(account, secondary, style, resource(account, rawResource));
    }

    /** A trailing slash is ignored, unless it is the whole path. */
    private static String withoutLastSlash(String path) {
        return path.length() > 1 && path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
    }

    private static Resource resource(String account, String raw) {
        String text = PercentCoding.decode(withoutLastSlash(raw), false)
                .orRefuse(ServiceCode.INVALID_URI, ServiceCode.OUT_OF_RANGE_INPUT);
        return text.isEmpty() ? new Resource.ServiceRoot() : new ResourceParser(account, text).parse();
    }
}
