package cleave.client;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Signs requests as the Table service wants it. Thread-safe: each signature is made by a clone of a prepared Mac. */
public final class SharedKey implements Credential {
    private static final String ALGORITHM = "HmacSHA256";

    private final String account;
    private final String key;
    private final Mac prepared;

    /** @param key in base64; IllegalArgumentException, which does not repeat it, if it is not */
    public SharedKey(String account, String key) {
        this.account = account;
        this.key = key;
        try {
            this.prepared = Mac.getInstance(ALGORITHM);
            prepared.init(new SecretKeySpec(decoded(account, key), ALGORITHM));
        } catch (GeneralSecurityException missing) {
            throw new IllegalStateException("every JDK has " + ALGORITHM, missing);
        }
    }

    private static byte[] decoded(String account, String key) {
        try {
            byte[] bytes = Base64.getDecoder().decode(key);
            if (bytes.length > 0) {
                return bytes;
            }
        } catch (IllegalArgumentException malformed) {
            // Said below, without the key.
        }
        throw new IllegalArgumentException("the AccountKey of account " + account + " is not base64");
    }

    @Override
    public String account() {
        return account;
    }

    @Override
    public Request sign(Request request) {
        return request.signed(this);
    }

    /** In base64. */
    public String key() {
        return key;
    }

    /**
     * The Authorization header of the full form.
     *
     * @param md5 value of the header Content-MD5; empty for none
     * @param path encoded, exactly as on the request line, without the query
     * @param comp value of the query parameter of that name; empty for none
     */
    public String full(String method, String md5, String contentType, String date, String path, String comp) {
        String signed = String.join("\n", method, md5, contentType, date, resource(path, comp));
        return "SharedKey " + account + ":" + signature(signed);
    }

    /** The Authorization header of the short form. */
    public String lite(String date, String path, String comp) {
        return "SharedKeyLite " + account + ":" + signature(date + "\n" + resource(path, comp));
    }

    private String resource(String path, String comp) {
        return "/" + account + path + (comp.isEmpty() ? "" : "?comp=" + comp);
    }

    /** The proof that the writer of this text has the key: its HMAC in base64. */
    public String signature(String text) {
        try {
            Mac mac = (Mac) prepared.clone();
            return Base64.getEncoder().encodeToString(mac.doFinal(text.getBytes(StandardCharsets.UTF_8)));
        } catch (CloneNotSupportedException missing) {
            throw new IllegalStateException("the Macs of every JDK can be cloned", missing);
        }
    }

    @Override
    public String toString() {
        return "SharedKey[" + account + "]";
    }
}
