package cleave.chaos.lab.patterns;

import cleave.chaos.lab.LabEntity;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Map;
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
    static final String WRAPPED_KEY = "_ClientEncryptionMetadata1";
    private static final int KEY_BYTES = 32;
    private static final int BLOCK_BYTES = 16;

    /** Says which properties of an entity are encrypted. */
    interface Resolver {
        boolean isEncrypted(String partition, String row, String property);
    }

    private final SecretKey userKey;
    private final Resolver resolver;
    private final SecureRandom random = new SecureRandom();

    /** @param userKey of 32 bytes, which never leaves the client */
    PropertyCipher(byte[] userKey, Resolver resolver) {
        this.userKey = new SecretKeySpec(userKey, "AES");
        this.resolver = resolver;
    }

    /** The entity as it is stored: strings that the resolver names are binary, and the wrapped key is a property more. */
    LabEntity encrypted(LabEntity plain) {
        byte[] contentKey = new byte[KEY_BYTES];
        random.nextBytes(contentKey);
        LabEntity stored = plain;
        for (Map.Entry<String, Object> property : plain.properties().entrySet()) {
            if (property.getValue() instanceof String text && isEncrypted(plain, property.getKey())) {
                byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
                stored = stored.with(
                        property.getKey(), cbc(Cipher.ENCRYPT_MODE, contentKey, plain, property.getKey(), bytes));
            }
        }
        return stored.with(WRAPPED_KEY, wrap(contentKey));
    }

    /** @throws IllegalArgumentException if the entity's key does not fit its properties */
    LabEntity decrypted(LabEntity stored) {
        byte[] contentKey = unwrap(stored.bytes(WRAPPED_KEY));
        LabEntity plain = stored.without(WRAPPED_KEY);
        for (Map.Entry<String, Object> property : stored.properties().entrySet()) {
            if (!property.getKey().equals(WRAPPED_KEY) && isEncrypted(stored, property.getKey())) {
                byte[] bytes = cbc(
                        Cipher.DECRYPT_MODE, contentKey, stored, property.getKey(), stored.bytes(property.getKey()));
                plain = plain.with(property.getKey(), new String(bytes, StandardCharsets.UTF_8));
            }
        }
        return plain;
    }

    private boolean isEncrypted(LabEntity entity, String property) {
        return resolver.isEncrypted(entity.partition(), entity.row(), property);
    }

    private static byte[] cbc(int mode, byte[] key, LabEntity entity, String property, byte[] bytes) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            byte[] vector =
                    digest.digest((entity.partition() + entity.row() + property).getBytes(StandardCharsets.UTF_8));
            Cipher cipher = Cipher.getInstance("AES/CBC/PKCS5Padding");
            cipher.init(mode, new SecretKeySpec(key, "AES"), new IvParameterSpec(Arrays.copyOf(vector, BLOCK_BYTES)));
            return cipher.doFinal(bytes);
        } catch (GeneralSecurityException wrongKey) {
            throw new IllegalArgumentException(property + " was encrypted under another content key", wrongKey);
        }
    }

    private byte[] wrap(byte[] contentKey) {
        try {
            Cipher cipher = Cipher.getInstance("AESWrap");
            cipher.init(Cipher.WRAP_MODE, userKey);
            return cipher.wrap(new SecretKeySpec(contentKey, "AES"));
        } catch (GeneralSecurityException missing) {
            throw new IllegalStateException("every JDK has AESWrap", missing);
        }
    }

    private byte[] unwrap(byte[] wrapped) {
        try {
            Cipher cipher = Cipher.getInstance("AESWrap");
            cipher.init(Cipher.UNWRAP_MODE, userKey);
            return cipher.unwrap(wrapped, "AES", Cipher.SECRET_KEY).getEncoded();
        } catch (GeneralSecurityException wrongKey) {
            throw new IllegalArgumentException("the content key was wrapped by another key", wrongKey);
        }
    }
}
