package cleave.deploy.sas;

import cleave.deploy.CommandFailure;
import cleave.frontend.protocol.odata.AddressStyle;
import cleave.frontend.protocol.odata.QueryString;
import cleave.frontend.protocol.odata.ResourceAddress;
import cleave.frontend.protocol.odata.ServiceError;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A signature as its bearer received it: a token, a URL, or a connection string. Immutable.
 *
 * @param scheme of the URL, in lower case; null: unknown
 * @param address null: unknown
 */
record Received(@Nullable String scheme, @Nullable ResourceAddress address, QueryString query) {
    private static final Pattern URL = Pattern.compile("(?i)(https?)://([^/?#]+)([^?#]*)(?:\\?([^#]*))?(?:#.*)?");
    private static final Pattern IN_CONNECTION_STRING =
            Pattern.compile("(?i)(?:^|;)\\s*SharedAccessSignature\\s*=\\s*([^;]+)");
    private static final Pattern ENDPOINT = Pattern.compile("(?i)(?:^|;)\\s*TableEndpoint\\s*=\\s*([^;]+)");

    static Received of(String text) {
        String trimmed = text.strip();
        try {
            Matcher connection = IN_CONNECTION_STRING.matcher(trimmed);
            if (connection.find()) {
                Matcher endpoint = ENDPOINT.matcher(trimmed);
                return of((endpoint.find() ? endpoint.group(1).strip() + "?" : "")
                        + withoutMark(connection.group(1).strip()));
            }
            Matcher url = URL.matcher(trimmed);
            return url.matches()
                    ? ofUrl(url)
                    : checked(new Received(null, null, QueryString.parse(withoutMark(trimmed))));
        } catch (ServiceError malformed) {
            throw CommandFailure.usage("the service cannot read this address: " + Judgement.inWords(malformed));
        }
    }

    private static Received ofUrl(Matcher url) {
        String path = url.group(3).isEmpty() ? "/" : url.group(3);
        ResourceAddress address = path.equals("/") && isWithoutAccount(url.group(2))
                ? null
                : ResourceAddress.parse(path, url.group(2), AddressStyle.BY_HOST);
        return checked(new Received(url.group(1).toLowerCase(Locale.ROOT), address, QueryString.parse(url.group(4))));
    }

    /** True if a host names no account, which is then in the path. */
    private static boolean isWithoutAccount(String host) {
        try {
            ResourceAddress.parse("/", host, AddressStyle.BY_HOST);
            return false;
        } catch (ServiceError none) {
            return true;
        }
    }

    private static String withoutMark(String token) {
        return token.startsWith("?") ? token.substring(1) : token;
    }

    private static Received checked(Received received) {
        if (!received.query.contains("sig") && !received.query.contains("sv")) {
            throw CommandFailure.usage(
                    "this is no shared access signature: give a token such as 'sv=...&sig=...', a URL that contains one, or a"
                            + " connection string with SharedAccessSignature");
        }
        return received;
    }
}
