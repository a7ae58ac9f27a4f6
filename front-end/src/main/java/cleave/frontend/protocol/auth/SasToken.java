package cleave.frontend.protocol.auth;

import cleave.frontend.protocol.odata.QueryString;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;

/**
 * The fields of a shared access signature, as they are in a query. Immutable. Until {@link #isSignedBy} has shown that a key of the account
 * made the signature, no field may have an effect. All methods throw the {@link cleave.frontend.protocol.odata.ServiceError} with which a
 * request with these fields is answered.
 */
public final class SasToken {
    private final QueryString query;
    private final boolean isOfTable;
    private final String version;

    private SasToken(QueryString query, boolean isOfTable, String version) {
        this.query = query;
        this.isOfTable = isOfTable;
        this.version = version;
    }

    /** Refuses fields of neither kind, of both, and of an unknown version. */
    public static SasToken of(QueryString query) {
        boolean isOfTable = query.contains("tn");
        if (isOfTable == (query.contains("ss") || query.contains("srt"))) {
            throw AuthenticationError.failed("a signature is of a table, with tn, or of an account, with ss and srt");
        }
        return new SasToken(query, isOfTable, SasFields.version(query));
    }

    /** True for the signature of a table, false for that of an account. */
    public boolean isOfTable() {
        return isOfTable;
    }

    /** The texts of which a key of the account must have signed one, in UTF-8. A new signature is made of the first. */
    public List<String> stringsToSign(String account) {
        return isOfTable
                ? List.of(TableSas.stringToSign(query, version, account))
                : AccountSas.stringsToSign(query, version, account);
    }

    /** True if the account is one of these and one of its keys made the signature. */
    public boolean isSignedBy(Accounts accounts, String name) {
        Account account = accounts.find(name);
        return account != null && isSignedBy(account);
    }

    /** True if one of the account's keys made the signature. */
    boolean isSignedBy(Account account) {
        byte[] signature = signature(SasFields.signed(query, "sig"));
        for (String text : stringsToSign(account.name())) {
            if (account.signed(text.getBytes(StandardCharsets.UTF_8), signature)) {
                return true;
            }
        }
        return false;
    }

    private static byte[] signature(String text) {
        try {
            return Base64.getDecoder().decode(text);
        } catch (IllegalArgumentException e) {
            throw AuthenticationError.failed("sig is not base64");
        }
    }

    /** The permissions of the fields at this time. */
    public Grant grant(long nowTicks) {
        return isOfTable ? TableSas.grant(query, nowTicks) : AccountSas.grant(query, nowTicks);
    }

    /**
     * Refuses a protocol and a client's address that the signature does not permit.
     *
     * @param secure true over TLS
     */
    public void checkConnection(boolean secure, String client) {
        ConnectionRestriction.check(query, secure, client);
    }
}
