package cleave.deploy.access;

import java.security.SecureRandom;
import java.util.HexFormat;

/** The token of who may change something from a board's page. Stateless. */
public final class AdminToken {
    private static final int BYTES = 16;

    private AdminToken() {}

    public static String random() {
        byte[] bytes = new byte[BYTES];
        new SecureRandom().nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    /** What follows the URL of the board for who has it: a fragment, which browsers send to nobody. */
    public static String fragment(String token) {
        return "#admin=" + token;
    }
}
