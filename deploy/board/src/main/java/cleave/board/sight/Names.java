package cleave.board.sight;

import cleave.board.frame.Cut;
import cleave.model.Key;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * How partition keys are named on a board: as they are, or hashed with a secret, so that nobody who sees the board or its files learns them. Equal
 * keys of one table have equal hashes, those of two tables have not. Immutable.
 */
public abstract class Names {
    /** As they are. */
    public static final Names CLEAR = new Names() {
        @Override
        String name(long table, String key) {
            return key;
        }

        @Override
        boolean isHashed() {
            return false;
        }
    };

    private static final int HASH_BYTES = 6;

    private Names() {}

    /** @param secret of this board: another one gives other hashes */
    public static Names hashed(byte[] secret) {
        SecretKeySpec key = new SecretKeySpec(secret, "HmacSHA256");
        return new Names() {
            @Override
            String name(long table, String partitionKey) {
                return "#" + HexFormat.of().formatHex(mac(key, table + "/" + partitionKey), 0, HASH_BYTES);
            }

            @Override
            boolean isHashed() {
                return true;
            }
        };
    }

    private static byte[] mac(SecretKeySpec key, String text) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(key);
            return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    abstract String name(long table, String key);

    abstract boolean isHashed();

    /** A bound, or the beginning of a partition. A table's own beginning is no secret. */
    Cut cut(Key key) {
        String partitionKey = key.partitionKey();
        return new Cut(key.table(), partitionKey.isEmpty() ? "" : name(key.table(), partitionKey));
    }

    /** A text of the leader that may hold keys. */
    String text(String text) {
        return isHashed() ? "(hashed)" : text;
    }
}
