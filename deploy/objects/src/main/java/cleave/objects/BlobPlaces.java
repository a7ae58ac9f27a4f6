package cleave.objects;

import cleave.client.Endpoint;
import cleave.client.SharedKey;
import cleave.deploy.CommandFailure;
import cleave.deploy.access.ConnectionFile;
import cleave.deploy.backup.place.BackupPlace;
import cleave.deploy.backup.place.PlaceProvider;
import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Opens places in Azure's Blob service, or in its emulator. Stateless. */
public final class BlobPlaces implements PlaceProvider {
    private static final String FORM = "azblob://ACCOUNT/CONTAINER/PREFIX";
    private static final String CONNECTION = "AZURE_STORAGE_CONNECTION_STRING";
    private static final String KEY = "AZURE_STORAGE_KEY";
    private static final String SIGNATURE = "AZURE_STORAGE_SAS_TOKEN";

    @Override
    public String scheme() {
        return "azblob";
    }

    @Override
    public String form() {
        return FORM;
    }

    @Override
    public BackupPlace open(String url, Options options) {
        StoreUrl place = StoreUrl.parse(url, FORM, 2);
        return new ObjectPlace(
                place.text(),
                place.prefix(),
                store(place.names().get(0), place.names().get(1), options, System.getenv()));
    }

    /** The container, without a request to it. */
    static BlobStore store(String account, String container, Options options, Map<String, String> environment) {
        if (options.region() != null || options.isPathStyle()) {
            throw CommandFailure.usage("--region and --path-style are for s3://; an account of Azure's is found by its"
                    + " name, or by --endpoint");
        }
        Map<String, String> connection = connection(options.credentials(), environment);
        String name = connection.getOrDefault("AccountName", account);
        if (!name.equals(account)) {
            throw CommandFailure.usage(
                    "the connection string is of account " + name + ", but the URL names account " + account);
        }
        String endpoint = options.endpoint() != null ? options.endpoint() : connection.get("BlobEndpoint");
        URI address = address(account, StoreUrl.endpoint(endpoint), connection);
        return new BlobStore(address, container, credential(account, address, connection, environment));
    }

    /** The parts of a connection string; nothing if there is none. */
    private static Map<String, String> connection(@Nullable Path file, Map<String, String> environment) {
        String text = file != null ? ConnectionFile.text(file) : environment.getOrDefault(CONNECTION, "");
        Map<String, String> parts = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        for (String part : text.strip().split(";")) {
            int equals = part.indexOf('=');
            if (equals > 0) {
                parts.put(
                        part.substring(0, equals).strip(),
                        part.substring(equals + 1).strip());
            }
        }
        if (file != null && !parts.containsKey("AccountKey") && !parts.containsKey("SharedAccessSignature")) {
            throw CommandFailure.usage(
                    file + ": it holds no connection string with AccountKey or SharedAccessSignature:"
                            + " AccountName=NAME;AccountKey=KEY");
        }
        return parts;
    }

    /** The address of the account: its own host, or a path at an emulator. */
    private static URI address(String account, @Nullable URI endpoint, Map<String, String> connection) {
        if (endpoint == null) {
            return URI.create(
                    "https://" + account + ".blob." + connection.getOrDefault("EndpointSuffix", "core.windows.net"));
        }
        boolean isOfAccount = endpoint.getHost().startsWith(account + ".")
                || endpoint.getPath().equals("/" + account);
        if (isOfAccount) {
            return endpoint;
        }
        if (!endpoint.getPath().isEmpty()) {
            throw CommandFailure.usage("the endpoint " + endpoint + " is not of account " + account);
        }
        return URI.create(endpoint + "/" + account);
    }

    private static BlobCredential credential(
            String account, URI address, Map<String, String> connection, Map<String, String> environment) {
        String key = connection.getOrDefault("AccountKey", "");
        String signature = connection.getOrDefault("SharedAccessSignature", "");
        if (key.isEmpty() && signature.isEmpty()) {
            key = environment.getOrDefault(KEY, "");
            signature = environment.getOrDefault(SIGNATURE, "");
        }
        if (key.isEmpty() && signature.isEmpty() && account.equals(Endpoint.DEVELOPMENT_ACCOUNT)) {
            key = Endpoint.DEVELOPMENT_KEY; // Of the emulator: no secret.
        }
        if (!key.isEmpty()) {
            try {
                return BlobCredential.ofKey(new SharedKey(account, key));
            } catch (IllegalArgumentException malformed) {
                throw CommandFailure.usage(String.valueOf(malformed.getMessage()));
            }
        }
        if (!signature.isEmpty()) {
            return BlobCredential.ofSignature(signature.startsWith("?") ? signature.substring(1) : signature);
        }
        if (!address.getScheme().equals("https")) {
            throw CommandFailure.usage("no key and no signature is given for " + address
                    + ", and a token is sent over https alone: give --credentials FILE, " + CONNECTION + ", " + KEY
                    + " or " + SIGNATURE);
        }
        return BlobCredential.ofToken(new AzureToken(environment));
    }
}
