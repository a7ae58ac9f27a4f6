package cleave.chaos.lab.script;

import cleave.chaos.lab.LabEntity;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Client-side encryption of properties by the scheme of the older SDKs: a fresh content key for each entity, which a key of the user wraps
 * and which travels in the entity; AES-CBC with a vector that is derived from the entity's keys and the property's name. Immutable.
 *
 * <p>CBC without authentication is what that scheme has, and why it is obsolete: it hides, and does not protect against change.
 */
final class PropertyCipher {
    private static final String WRAPPED_KEY = "_ClientEncryptionMetadata1";
    private static final int KEY_BYTES = 32;
    private static final int BLOCK_BYTES = 16;

    private final SecretKey userKey;
    private final SecureRandom random = new SecureRandom();

    /** @param seed of the user's key: a lab's key, which everyone knows */
    PropertyCipher(long seed) {
        byte[] bytes = new byte[KEY_BYTES];
        new Random(seed).nextBytes(bytes);
        this.userKey = new SecretKeySpec(bytes, "AES");
    }

    /** The entity as it is stored: strings of these names are binary, and the wrapped key is a property more. */
    LabEntity encrypted(LabEntity plain, List<String> names) throws GeneralSecurityException {
        byte[] contentKey = new byte[KEY_BYTES];
        random.nextBytes(contentKey);
        LabEntity stored = plain;
        for (Map.Entry<String, Object> property : plain.properties().entrySet()) {
            if (property.getValue() instanceof String text && names.contains(property.getKey())) {
                byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
                stored = stored.with(
                        property.getKey(), cbc(Cipher.ENCRYPT_MODE, contentKey, plain, property.getKey(), bytes));
            }
        }
        return stored.with(WRAPPED_KEY, wrap(contentKey));
    }

    /** A property that was encrypted; empty if it was under another key. */
    String decrypted(LabEntity stored, String name) {
        try {
            byte[] contentKey = unwrap(stored.bytes(WRAPPED_KEY));
            return new String(
                    cbc(Cipher.DECRYPT_MODE, contentKey, stored, name, stored.bytes(name)), StandardCharsets.UTF_8);
        } catch (GeneralSecurityException wrongKey) {
            return "";
        }
    }

    private static byte[] cbc(int mode, byte[] key, LabEntity entity, String property, byte[] bytes)
            throws GeneralSecurityException {
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        byte[] vector = digest.digest((entity.partition() + entity.row() + property).getBytes(StandardCharsets.UTF_8));
        Cipher cipher = Cipher.getInstance("AES/CBC/PKCS5Padding");
        cipher.init(mode, new SecretKeySpec(key, "AES"), new IvParameterSpec(Arrays.copyOf(vector, BLOCK_BYTES)));
        return cipher.doFinal(bytes);
    }

    private byte[] wrap(byte[] contentKey) throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance("AESWrap");
        cipher.init(Cipher.WRAP_MODE, userKey);
        return cipher.wrap(new SecretKeySpec(contentKey, "AES"));
    }

    private byte[] unwrap(byte[] wrapped) throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance("AESWrap");
        cipher.init(Cipher.UNWRAP_MODE, userKey);
        return cipher.unwrap(wrapped, "AES", Cipher.SECRET_KEY).getEncoded();
    }
}
