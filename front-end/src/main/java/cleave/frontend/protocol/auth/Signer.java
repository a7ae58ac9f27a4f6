package cleave.frontend.protocol.auth;

import java.security.GeneralSecurityException;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Signs with one key of an account: HMAC-SHA256. Thread-safe: each signature uses a clone of a prepared Mac. */
public final class Signer {
    private static final String ALGORITHM = "HmacSHA256";

    private final SecretKeySpec key;
    private final Mac prepared;

    /** @param key decoded; not empty */
    public Signer(byte[] key) {
        this.key = new SecretKeySpec(key, ALGORITHM);
        this.prepared = fresh();
    }

    private Mac fresh() {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            return mac;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java has no " + ALGORITHM, e);
        }
    }

    public byte[] sign(byte[] text) {
        try {
            return ((Mac) prepared.clone()).doFinal(text);
        } catch (CloneNotSupportedException e) {
            return fresh().doFinal(text); // A security provider whose Macs cannot be cloned.
        }
    }
}
