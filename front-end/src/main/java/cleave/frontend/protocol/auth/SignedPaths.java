package cleave.frontend.protocol.auth;

import cleave.frontend.protocol.odata.QueryString;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Set;

/**
 * The forms of the canonicalized resource that a client may have signed: that of the path as received, then the forms with characters
 * that proxies and clients may encode or decode, and the forms without {@code -secondary}.
 */
final class SignedPaths {
    static final String SECONDARY = "-secondary";

    private static final String[] PLAIN = {"'", "(", ")", ",", "$", "="};
    private static final String[] ENCODED = {"%27", "%28", "%29", "%2C", "%24", "%3D"};

    /** The number of these that surround the keys in an address. */
    private static final int LITERALS = 4;

    private SignedPaths() {}

    /** The form that nearly all clients sign. */
    static Set<String> asSent(SignedRequest request, String account) {
        return Set.of("/" + account + path(request) + suffix(request.query()));
    }

    /** The other forms. */
    static Set<String> changed(SignedRequest request) {
        Set<String> resources = new LinkedHashSet<>();
        String raw = path(request);
        String decoded = decoded(raw);
        addSecondaries(resources, request.account(), raw, suffix(request.query()));
        for (int encoded : new int[] {0, 1, LITERALS, PLAIN.length}) {
            addSecondaries(resources, request.account(), encoded(decoded, encoded), suffix(request.query()));
        }
        return resources;
    }

    private static String path(SignedRequest request) {
        return request.rawPath().isEmpty() ? "/" : request.rawPath();
    }

    private static String suffix(QueryString query) {
        String comp = query.value("comp");
        return comp == null ? "" : "?comp=" + comp;
    }

    private static void addSecondaries(Set<String> resources, String primary, String path, String suffix) {
        String prefix = "/" + primary + SECONDARY;
        String primaryPath = path.startsWith(prefix) ? "/" + primary + path.substring(prefix.length()) : path;
        for (String name : new String[] {primary, primary + SECONDARY}) {
            resources.add("/" + name + path + suffix);
            resources.add("/" + name + primaryPath + suffix);
        }
    }

    private static String decoded(String path) {
        String plain = path;
        for (int i = 0; i < PLAIN.length; i++) {
            plain = plain.replace(ENCODED[i], PLAIN[i]).replace(ENCODED[i].toLowerCase(Locale.ROOT), PLAIN[i]);
        }
        return plain;
    }

    /** The path with the first of these characters encoded. */
    private static String encoded(String path, int characters) {
        String encoded = path;
        for (int i = 0; i < characters; i++) {
            encoded = encoded.replace(PLAIN[i], ENCODED[i]);
        }
        return encoded;
    }
}
