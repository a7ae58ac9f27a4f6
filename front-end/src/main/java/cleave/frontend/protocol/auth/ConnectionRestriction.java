package cleave.frontend.protocol.auth;

import cleave.frontend.protocol.odata.QueryString;
import cleave.frontend.protocol.odata.ServiceCode;
import cleave.frontend.protocol.odata.ServiceError;
import org.jspecify.annotations.Nullable;

/** Restrictions of a shared access signature on the protocol and the client's address: {@code spr} and {@code sip}. */
final class ConnectionRestriction {
    private static final int PARTS = 4;

    private ConnectionRestriction() {}

    /** Refuses a request over a protocol or from an address that the signature does not permit. */
    static void check(QueryString query, boolean secure, String client) {
        String protocols = SasFields.given(query, "spr");
        String addresses = SasFields.given(query, "sip");
        if ((protocols != null || addresses != null)
                && SasFields.signed(query, "sv").compareTo(SasFields.WITH_SOURCE) < 0) {
            throw AuthenticationError.failed("sip and spr are not signed in versions before " + SasFields.WITH_SOURCE);
        }
        if (protocols != null) {
            checkProtocol(protocols, secure);
        }
        if (addresses != null) {
            checkAddress(addresses, client);
        }
    }

    private static void checkProtocol(String protocols, boolean secure) {
        switch (protocols) {
            case "https,http", "http,https" -> {}
            case "https" -> {
                if (!secure) {
                    throw ServiceError.of(ServiceCode.AUTHORIZATION_PROTOCOL_MISMATCH)
                            .because("spr is https, the request came over http");
                }
            }
            default -> throw AuthenticationError.failed("spr is neither 'https' nor 'https,http'");
        }
    }

    private static void checkAddress(String addresses, String client) {
        int dash = addresses.indexOf('-');
        Long first = number(dash < 0 ? addresses : addresses.substring(0, dash));
        Long last = dash < 0 ? first : number(addresses.substring(dash + 1));
        if (first == null || last == null || first > last) {
            throw AuthenticationError.failed("sip is neither an IPv4 address nor a range of them");
        }
        Long address = number(client);
        if (address == null || address < first || address > last) {
            throw ServiceError.of(ServiceCode.AUTHORIZATION_SOURCE_IP_MISMATCH)
                    .because("the request came from " + client);
        }
    }

    /** An IPv4 address as a number; null for any other text. */
    private static @Nullable Long number(String address) {
        String[] parts = address.split("\\.", -1);
        long number = 0;
        for (String part : parts) {
            boolean isByte = part.length() <= 3 && SasFields.consistsOf(part, "0123456789");
            int value = isByte ? Integer.parseInt(part) : 256;
            if (value > 255) {
                return null;
            }
            number = number << 8 | value;
        }
        return parts.length == PARTS ? (Long) number : null;
    }
}
