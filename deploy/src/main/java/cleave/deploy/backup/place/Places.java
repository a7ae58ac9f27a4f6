package cleave.deploy.backup.place;

import cleave.deploy.CommandFailure;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Finds the place that a text on the command line names. Stateless. */
public final class Places {
    /** The forms of the object stores that Cleave knows, by their schemes. */
    private static final Map<String, String> STORES =
            new TreeMap<>(Map.of("s3", "s3://BUCKET/PREFIX", "azblob", "azblob://ACCOUNT/CONTAINER/PREFIX"));

    private static final Pattern SCHEME = Pattern.compile("([A-Za-z][A-Za-z0-9+.-]+):");

    private Places() {}

    /** The place, not yet taken. CommandFailure if the text names none. */
    public static BackupPlace open(String text, PlaceProvider.Options options) {
        Matcher scheme = SCHEME.matcher(text);
        if (scheme.lookingAt() && STORES.containsKey(scheme.group(1))) {
            return provider(scheme.group(1)).open(text, options);
        }
        Path folder = folder(text);
        if (options.isGiven()) {
            throw CommandFailure.usage("--endpoint, --region, --path-style and --credentials are for object stores ("
                    + String.join(", ", STORES.values()) + "), but '" + text + "' is a folder");
        }
        return new FolderPlace(folder);
    }

    private static PlaceProvider provider(String scheme) {
        for (PlaceProvider each : ServiceLoader.load(PlaceProvider.class)) {
            if (each.scheme().equals(scheme)) {
                return each;
            }
        }
        throw CommandFailure.usage("the client of " + scheme
                + ":// is not on the class path: deploy-objects and its libraries are missing. The command 'cleave' of an"
                + " archive, an image or a checkout adds them if an argument begins with s3:// or azblob://");
    }

    /** A folder, or the URI of one on this machine. */
    public static Path folder(String text) {
        if (!text.isEmpty() && !SCHEME.matcher(text).lookingAt()) {
            return Path.of(text);
        }
        try {
            URI uri = new URI(text);
            String host = uri.getAuthority();
            boolean isHere = host == null || host.equals("localhost");
            if (uri.getRawQuery() != null || uri.getRawFragment() != null) {
                throw none(text); // URI.getPath() would name another folder.
            }
            if ("file".equalsIgnoreCase(uri.getScheme()) && isHere && uri.getPath() != null) {
                return Path.of(uri.getPath());
            }
        } catch (URISyntaxException | InvalidPathException wrong) {
            throw none(text);
        }
        throw none(text);
    }

    private static CommandFailure none(String text) {
        return CommandFailure.usage("'" + text + "' is neither a folder nor file:/some/folder nor "
                + String.join(" nor ", STORES.values()) + ", and there are no other schemes. After file: a space is"
                + " written %20, # %23, ? %3F and % %25; a plain folder is given as it is."
                + " For other storage, mount it, or copy the folder there afterwards; a folder with a colon in its"
                + " name is written ./a:b");
    }
}
