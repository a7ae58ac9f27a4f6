package cleave.frontend.auth;

import com.nimbusds.jose.jwk.JWKSet;
import org.jspecify.annotations.Nullable;

/** The keys with which issuers sign tokens. Thread-safe. */
public interface IssuerKeys {
    /** The public keys as they are known now, the same object until they change; null: not known yet. */
    @Nullable
    JWKSet current();

    /** A token names a key that is not among them: it may be new. */
    void missed();
}
