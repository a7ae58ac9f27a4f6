package cleave.objects;

import cleave.deploy.CommandFailure;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The URL of a place in an object store, taken apart. Immutable.
 *
 * @param text without slashes at its end
 * @param names what stands between the scheme and the prefix: the bucket; or the account and the container
 * @param prefix without slashes at its ends; may be empty
 */
record StoreUrl(String text, List<String> names, String prefix) {
    private static final Pattern NAME = Pattern.compile("[a-z0-9$][a-z0-9.-]{1,62}");
    private static final Pattern SEGMENT = Pattern.compile("[^\\p{Cntrl}\\\\?#%]+");

    StoreUrl {
        names = List.copyOf(names);
    }

    /** CommandFailure if it is not of this form, which is {@code SCHEME://NAME.../PREFIX}. */
    static StoreUrl parse(String url, String form, int names) {
        String scheme = form.substring(0, form.indexOf("://") + 3);
        if (!url.startsWith(scheme)) {
            throw wrong(url, form, "it does not begin with " + scheme);
        }
        List<String> parts =
                new ArrayList<>(List.of(url.substring(scheme.length()).split("/+", -1)));
        while (!parts.isEmpty() && parts.get(parts.size() - 1).isEmpty()) {
            parts.remove(parts.size() - 1);
        }
        if (parts.size() < names) {
            throw wrong(url, form, "something is missing");
        }
        for (String name : parts.subList(0, names)) {
            if (!NAME.matcher(name).matches()) {
                throw wrong(
                        url,
                        form,
                        "'" + name + "' is no name of an account, a bucket or a container, which are 3 to 63"
                                + " lower-case letters, digits, hyphens and dots");
            }
        }
        for (String part : parts.subList(names, parts.size())) {
            if (!SEGMENT.matcher(part).matches() || part.equals(".") || part.equals("..")) {
                throw wrong(
                        url,
                        form,
                        "'" + part + "' in its prefix has characters that are not taken: ? # % \\ or control"
                                + " characters, or is . or ..");
            }
        }
        return new StoreUrl(
                scheme + String.join("/", parts),
                parts.subList(0, names),
                String.join("/", parts.subList(names, parts.size())));
    }

    private static CommandFailure wrong(String url, String form, String why) {
        return CommandFailure.usage("'" + url + "' is not of the form " + form + ": " + why);
    }

    /** The address that an option names; null if it names none. CommandFailure if it is no address. */
    static @Nullable URI endpoint(@Nullable String text) {
        if (text == null || text.isEmpty()) {
            return null;
        }
        try {
            URI uri = new URI(text.replaceAll("/+$", ""));
            String scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
            if ((scheme.equals("http") || scheme.equals("https"))
                    && uri.getHost() != null
                    && uri.getRawQuery() == null
                    && uri.getRawFragment() == null) {
                return uri;
            }
        } catch (URISyntaxException malformed) {
            // Said below.
        }
        throw CommandFailure.usage(
                "--endpoint is '" + text + "' but must be the URL of a service, such as https://minio:9000");
    }
}
