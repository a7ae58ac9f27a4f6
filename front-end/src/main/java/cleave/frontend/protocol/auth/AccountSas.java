package cleave.frontend.protocol.auth;

import cleave.frontend.protocol.odata.QueryString;
import cleave.frontend.protocol.odata.ServiceCode;
import cleave.frontend.protocol.odata.ServiceError;
import java.util.List;

/** Shared access signatures of an account. */
final class AccountSas {
    private static final String WITH_SCOPE = "2020-12-06";
    private static final String LETTERS = "abcdefghijklmnopqrstuvwxyz";

    private AccountSas() {}

    /** Newer versions sign the encryption scope, too, but some SDKs name such a version and omit it. */
    static List<String> stringsToSign(QueryString query, String version, String account) {
        if (version.compareTo(SasFields.WITH_SOURCE) < 0) {
            throw AuthenticationError.failed("signatures of accounts begin with sv " + SasFields.WITH_SOURCE);
        }
        StringBuilder text = new StringBuilder(160).append(account).append('\n');
        for (String name : new String[] {"sp", "ss", "srt", "st", "se", "sip", "spr"}) {
            text.append(SasFields.signed(query, name)).append('\n');
        }
        String without = text.append(version).append('\n').toString();
        return version.compareTo(WITH_SCOPE) < 0
                ? List.of(without)
                : List.of(without + SasFields.signed(query, "ses") + "\n", without);
    }

    /** The grant of a valid signature. */
    static Grant grant(QueryString query, long nowTicks) {
        String permissions = Terms.of(query).inForce(nowTicks);
        String services = SasFields.signed(query, "ss");
        String resourceTypes = SasFields.signed(query, "srt");
        if (!SasFields.consistsOf(permissions, LETTERS)
                || !SasFields.consistsOf(services, LETTERS)
                || !SasFields.consistsOf(resourceTypes, "sco")) {
            throw AuthenticationError.failed("sp, ss and srt must be letters, those of srt of 'sco'");
        }
        if (services.indexOf('t') < 0) {
            throw ServiceError.of(ServiceCode.AUTHORIZATION_SERVICE_MISMATCH)
                    .because("ss is " + services + ", without t for tables");
        }
        return new Grant.OfAccount(permissions, resourceTypes);
    }
}
