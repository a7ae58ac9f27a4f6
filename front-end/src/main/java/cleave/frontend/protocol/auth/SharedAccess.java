package cleave.frontend.protocol.auth;

import cleave.frontend.protocol.odata.QueryString;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;

/** Checks shared access signatures against the keys of the account. No field has an effect before the signature is verified. */
final class SharedAccess {
    private final Trace trace;

    SharedAccess(Trace trace) {
        this.trace = trace;
    }

    Grant check(SignedRequest request, Account account, long nowTicks) {
        QueryString query = request.query();
        boolean isOfTable = query.contains("tn");
        if (isOfTable == (query.contains("ss") || query.contains("srt"))) {
            throw AuthenticationError.failed("a signature is of a table, with tn, or of an account, with ss and srt");
        }
        String version = SasFields.version(query);
        List<String> texts = isOfTable
                ? List.of(TableSas.stringToSign(query, version, account.name()))
                : AccountSas.stringsToSign(query, version, account.name());
        checkSignature(request, account, texts);
        Grant grant = isOfTable ? TableSas.grant(query, nowTicks) : AccountSas.grant(query, nowTicks);
        ConnectionRestriction.check(request);
        return grant;
    }

    private void checkSignature(SignedRequest request, Account account, List<String> texts) {
        byte[] signature = signature(SasFields.signed(request.query(), "sig"));
        for (String text : texts) {
            if (account.signed(text.getBytes(StandardCharsets.UTF_8), signature)) {
                return;
            }
        }
        if (trace.isOn()) {
            texts.forEach(text -> trace.tried(request.id(), text));
        }
        throw AuthenticationError.failed("the signature matches none of the account's keys");
    }

    private static byte[] signature(String text) {
        try {
            return Base64.getDecoder().decode(text);
        } catch (IllegalArgumentException e) {
            throw AuthenticationError.failed("sig is not base64");
        }
    }
}
