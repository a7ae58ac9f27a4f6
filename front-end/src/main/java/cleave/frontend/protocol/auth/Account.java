package cleave.frontend.protocol.auth;

import cleave.frontend.protocol.odata.ServiceCode;
import cleave.frontend.protocol.odata.ServiceError;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;

/**
 * One account and how it is served. Immutable. Never shown as text, since it holds secrets.
 *
 * @param signers one for each of its keys
 * @param disabled it is not served for now
 * @param httpsRequired plain HTTP is refused
 * @param keysRefused neither keys nor what they sign count, only tokens of an issuer
 * @param tokens which of these count
 */
record Account(
        String name,
        List<Signer> signers,
        boolean disabled,
        boolean httpsRequired,
        boolean keysRefused,
        TokenScope tokens) {
    Account {
        signers = List.copyOf(signers);
    }

    /** This account with more keys. */
    Account with(List<Signer> more) {
        List<Signer> all = new ArrayList<>(signers);
        all.addAll(more);
        return new Account(name, all, disabled, httpsRequired, keysRefused, tokens);
    }

    /** True if a signature of a text is by one of its keys. */
    boolean signed(byte[] text, byte[] signature) {
        for (Signer signer : signers) {
            if (MessageDigest.isEqual(signer.sign(text), signature)) {
                return true;
            }
        }
        return false;
    }

    /** Refuses what no credential could make good. */
    void checkServed(boolean secure) {
        if (httpsRequired && !secure) {
            throw ServiceError.of(ServiceCode.ACCOUNT_REQUIRES_HTTPS);
        }
        if (disabled) {
            throw ServiceError.of(ServiceCode.ACCOUNT_IS_DISABLED);
        }
    }

    void checkKeysCount() {
        if (keysRefused) {
            throw ServiceError.of(ServiceCode.KEY_BASED_AUTHENTICATION_NOT_PERMITTED);
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
