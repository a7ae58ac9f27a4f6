package cleave.frontend.protocol.auth;

import com.nimbusds.jose.jwk.JWKSet;
import org.jspecify.annotations.Nullable;

/** The keys with which issuers sign tokens. Thread-safe. */
public interface IssuerKeys {
    /** The current public keys, the same object until they change; null before the first reading. */
    @Nullable
    JWKSet current();

    /** Requests another reading, because a token names an unknown key. Returns the number of that reading. */
    long refresh();

    /** The number of the last successful reading. */
    long lastReading();
}
