package cleave.chaos.client;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Signs requests as the Table service wants it. Immutable.
 *
 * @param key in base64
 */
public record SharedKey(String account, String key) {
    private static final String ALGORITHM = "HmacSHA256";

    /**
     * The Authorization header of the full form.
     *
     * @param path encoded, exactly as on the request line, without the query
     * @param comp value of the query parameter of that name; empty for none
     */
    public String full(String method, String contentType, String date, String path, String comp) {
        String signed = String.join("\n", method, "", contentType, date, resource(path, comp));
        return "SharedKey " + account + ":" + sign(signed);
    }

    /** The Authorization header of the short form. */
    public String lite(String date, String path, String comp) {
        return "SharedKeyLite " + account + ":" + sign(date + "\n" + resource(path, comp));
    }

    private String resource(String path, String comp) {
        return "/" + account + path + (comp.isEmpty() ? "" : "?comp=" + comp);
    }

    private String sign(String text) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(Base64.getDecoder().decode(key), ALGORITHM));
            return Base64.getEncoder().encodeToString(mac.doFinal(text.getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException missing) {
            throw new IllegalStateException("every JDK has " + ALGORITHM, missing);
        }
    }

    @Override
    public String toString() {
        return "SharedKey[" + account + "]";
    }
}
