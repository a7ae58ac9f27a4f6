package cleave.frontend.protocol.auth;

import com.nimbusds.jose.jwk.JWKSet;
import org.jspecify.annotations.Nullable;

/** The keys with which issuers sign tokens. Thread-safe. */
public interface IssuerKeys {
    /** The public keys as they are known now, the same object until they change; null: not known yet. */
    @Nullable
    JWKSet current();

    /** Has the keys read again as soon as that may be, for a token names one that is not among them. Gives the reading's number. */
    long refresh();

    /** The number of the last reading that succeeded. */
    long lastReading();
}
