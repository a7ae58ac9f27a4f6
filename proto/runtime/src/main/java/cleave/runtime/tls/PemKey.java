package cleave.runtime.tls;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads a private key in PEM: PKCS #8, or the older forms of RSA (PKCS #1) and EC (SEC 1), which are the default of cert-manager.
 * Stateless.
 *
 * <p>The JDK reads PKCS #8 only. The older forms are its innermost part; the surrounding algorithm identifier is copied from the public key
 * of the certificate, which has the same encoding.
 */
final class PemKey {
    private static final Pattern BLOCK = Pattern.compile("-----BEGIN ((?:[A-Z]+ )?)PRIVATE KEY-----([^-]+)-----END ");
    private static final int SEQUENCE = 0x30;
    private static final int OCTETS = 0x04;
    private static final byte[] VERSION_0 = {2, 1, 0};

    private PemKey() {}

    /** IOException, with the file's name, if there is no key of the public key's algorithm in it. */
    static PrivateKey read(String file, String pem, PublicKey publicKey) throws IOException {
        Matcher block = BLOCK.matcher(pem);
        if (!block.find()) {
            throw new IOException(file + " holds no private key in PEM");
        }
        String form = block.group(1).trim();
        if (form.equals("ENCRYPTED")) {
            throw new IOException(file + " is encrypted, but must hold a key without a password");
        }
        String algorithm = publicKey.getAlgorithm();
        try {
            byte[] bytes = Base64.getMimeDecoder().decode(block.group(2));
            byte[] pkcs8 = form.isEmpty() ? bytes : wrapped(bytes, publicKey);
            return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(pkcs8));
        } catch (GeneralSecurityException | IllegalArgumentException malformed) {
            throw new IOException(
                    file + " holds no " + algorithm + " key, as its certificate needs: " + malformed.getMessage(),
                    malformed);
        }
    }

    /** The name of the key type in a signature algorithm; IOException if TLS cannot use the key. */
    static String signs(PrivateKey key) throws IOException {
        return switch (key.getAlgorithm()) {
            case "RSA" -> "RSA";
            case "EC" -> "ECDSA";
            default -> throw new IOException("a key must be RSA or EC, not " + key.getAlgorithm());
        };
    }

    private static byte[] wrapped(byte[] key, PublicKey publicKey) {
        ByteArrayOutputStream inner = new ByteArrayOutputStream();
        inner.writeBytes(VERSION_0);
        inner.writeBytes(algorithm(publicKey.getEncoded()));
        inner.writeBytes(field(OCTETS, key));
        return field(SEQUENCE, inner.toByteArray());
    }

    /** The first field of a public key's sequence, whole. */
    private static byte[] algorithm(byte[] publicKey) {
        ByteBuffer bytes = ByteBuffer.wrap(publicKey);
        enter(bytes);
        int start = bytes.position();
        int length = enter(bytes);
        byte[] algorithm = new byte[bytes.position() + length - start];
        bytes.get(start, algorithm);
        return algorithm;
    }

    /** Passes the tag and the length, which it returns. */
    private static int enter(ByteBuffer bytes) {
        bytes.get();
        int length = Byte.toUnsignedInt(bytes.get());
        if (length < 0x80) {
            return length;
        }
        int whole = 0;
        for (int octets = length - 0x80; octets > 0; octets--) {
            whole = whole << 8 | Byte.toUnsignedInt(bytes.get());
        }
        return whole;
    }

    private static byte[] field(int tag, byte[] content) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(content.length + 5);
        bytes.write(tag);
        if (content.length < 0x80) {
            bytes.write(content.length);
        } else {
            byte[] length = BigInteger.valueOf(content.length).toByteArray();
            int sign = length[0] == 0 ? 1 : 0;
            bytes.write(0x80 + length.length - sign);
            bytes.write(length, sign, length.length - sign);
        }
        bytes.writeBytes(content);
        return bytes.toByteArray();
    }
}
