package cleave.deploy.access;

import cleave.client.ConnectionString;
import cleave.client.Endpoint;
import cleave.client.Sas;
import cleave.client.SharedKey;
import cleave.deploy.CommandFailure;
import cleave.frontend.protocol.odata.TableName;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/** Reads texts that name an account and the key that signs requests. A CommandFailure, without the key, says what is wrong. Stateless. */
public final class TableAccount {
    private static final Pattern SIGNATURE = Pattern.compile("(?i)(?:^|;)\\s*SharedAccessSignature\\s*=");
    private static final Pattern SIGNED_URL = Pattern.compile("(?i)^https?://[^?]*\\?(?:.*&)?sig=");
    private static final Pattern ACCOUNT_KEY = Pattern.compile("(?i)(?:^|;)\\s*AccountKey\\s*=");

    private TableAccount() {}

    /** An account in path style at an endpoint such as {@code http://127.0.0.1:10002}. */
    public static Endpoint at(String endpoint, String name, String key) {
        return read(() -> Endpoint.at(endpoint, new SharedKey(name, key)));
    }

    /** The account that every SDK knows, for emulators; its key is no secret. */
    public static Endpoint development(String endpoint) {
        return at(endpoint, Endpoint.DEVELOPMENT_ACCOUNT, Endpoint.DEVELOPMENT_KEY);
    }

    /** Reads a connection string as the SDKs do; CommandFailure if it has no account key. */
    public static Endpoint ofConnectionString(String text) {
        Endpoint found = isSignature(text) ? null : read(() -> ConnectionString.parse(text));
        if (found == null || found.credential() instanceof Sas) {
            throw CommandFailure.usage("it holds a shared access signature, but an account's key is needed here:"
                    + " AccountName=NAME;AccountKey=KEY;TableEndpoint=http://HOST:PORT/NAME");
        }
        return found;
    }

    private static Endpoint read(Supplier<Endpoint> reading) {
        try {
            return reading.get();
        } catch (IllegalArgumentException wrong) {
            throw CommandFailure.usage(String.valueOf(wrong.getMessage()));
        }
    }

    /** CommandFailure if no table can have this name. */
    public static void checkTable(String name) {
        if (!TableName.isLegal(name)) {
            throw CommandFailure.usage("no table can be named '" + name
                    + "': names are 3 to 63 letters and digits and begin with a letter");
        }
    }

    /** True for a URL or a connection string with a shared access signature and without a key. */
    public static boolean isSignature(String text) {
        return (SIGNATURE.matcher(text).find()
                        || SIGNED_URL.matcher(text.strip()).find())
                && !ACCOUNT_KEY.matcher(text).find();
    }
}
