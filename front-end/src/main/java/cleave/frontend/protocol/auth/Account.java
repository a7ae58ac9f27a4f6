package cleave.frontend.protocol.auth;

import cleave.frontend.protocol.odata.ServiceCode;
import cleave.frontend.protocol.odata.ServiceError;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;

/**
 * An account with its keys and options. Immutable. Has no text form, because it contains secrets.
 *
 * @param signers one for each key
 * @param disabled true if all requests are refused
 * @param httpsRequired true if plain HTTP is refused
 * @param keysRefused true if keys and signatures are refused, so that only bearer tokens are accepted
 * @param tokens which bearer tokens are accepted
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

    /** True if one of the keys made this signature of a text. */
    boolean signed(byte[] text, byte[] signature) {
        for (Signer signer : signers) {
            if (MessageDigest.isEqual(signer.sign(text), signature)) {
                return true;
            }
        }
        return false;
    }

    /** Refuses requests that the account does not permit with any credential. */
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
