package cleave.frontend.protocol.auth;

import cleave.frontend.protocol.odata.ServiceCode;
import cleave.frontend.protocol.odata.ServiceError;
import cleave.model.Ticks;
import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSVerifier;
import com.nimbusds.jose.crypto.ECDSAVerifier;
import com.nimbusds.jose.crypto.RSASSAVerifier;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.KeyUse;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.text.ParseException;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Checks bearer tokens: signed JWTs of a trusted issuer. Confined to its loop. A verified signature is cached by the token's digest until
 * the issuer's keys change, so that the next request with the token costs no asymmetric operation. Validity, audience and accounts are
 * checked for each request.
 *
 * <p>A token with an unknown key causes the keys to be read again, while its client retries. A stranger cannot exploit this: readings are
 * rate-limited, and only the most recent unknown keys are remembered.
 */
final class Tokens {
    private static final int REMEMBERED_MAX = 1000;
    private static final int ASKED_MAX = 250;
    private static final int KEY_ID_LENGTH_MAX = 250;
    /** A key that an issuer does not have now may appear later. */
    private static final long ASKED_AGAIN_TICKS = 60 * Ticks.PER_SECOND;

    private static final long SKEW_TICKS = 60 * Ticks.PER_SECOND;
    private static final String FIRST_VERSION = "2017-11-09";
    /** No symmetric algorithm, and not "none". */
    private static final Set<JWSAlgorithm> ALGORITHMS = Set.of(
            JWSAlgorithm.RS256,
            JWSAlgorithm.RS384,
            JWSAlgorithm.RS512,
            JWSAlgorithm.PS256,
            JWSAlgorithm.PS384,
            JWSAlgorithm.PS512,
            JWSAlgorithm.ES256,
            JWSAlgorithm.ES384,
            JWSAlgorithm.ES512);

    private final TokenRules rules;
    private final IssuerKeys keys;
    private final Map<ByteBuffer, Verified> remembered = new Latest<>(REMEMBERED_MAX);
    private final Map<String, Asked> asked = new Latest<>(ASKED_MAX);

    /** Evicts the least recently used entry. */
    private static final class Latest<K, V> extends LinkedHashMap<K, V> {
        private static final long serialVersionUID = 1;
        private final int max;

        Latest(int max) {
            super(16, 0.75f, true);
            this.max = max;
        }

        @Override
        protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
            return size() > max;
        }
    }

    /** When an unknown key was first named, and the number of the reading that will tell whether it exists. Immutable. */
    private record Asked(long reading, long ticks) {}

    Tokens(TokenRules rules, IssuerKeys keys) {
        this.rules = rules;
        this.keys = keys;
    }

    /**
     * The claims of a token with a valid signature. Immutable.
     *
     * @param by the keys that verified it
     * @param accounts named in it
     * @param from in ticks
     * @param until in ticks
     */
    private record Verified(
            JWKSet by, List<String> audiences, List<String> accounts, long from, long until, Grant grant) {}

    /** The grant of the bearer in the addressed account, which accepts tokens of this scope. */
    @SuppressWarnings("ReferenceEquality") // The set of keys is another object when it has changed.
    Grant check(SignedRequest request, TokenScope scope, String token, long nowTicks) {
        if (!request.secure()) {
            throw ServiceError.of(ServiceCode.AUTHORIZATION_PROTOCOL_MISMATCH)
                    .because("tokens are taken over https only");
        }
        String version = request.headers().first("x-ms-version");
        if (version == null || version.compareTo(FIRST_VERSION) < 0) {
            throw AuthenticationError.failed("tokens need x-ms-version, from " + FIRST_VERSION + " on");
        }
        JWKSet known = keys.current();
        if (known == null) {
            throw ServiceError.of(ServiceCode.SERVER_BUSY, "The keys of the issuer of tokens are not known yet.");
        }
        ByteBuffer digest = digest(token);
        Verified verified = remembered.get(digest);
        if (verified == null || verified.by() != known) {
            verified = verified(token, known, nowTicks);
            remembered.put(digest, verified);
        }
        if (nowTicks < verified.from() - SKEW_TICKS || nowTicks >= verified.until() + SKEW_TICKS) {
            throw AuthenticationError.unauthorized("the token has expired or is not valid yet");
        }
        checkScope(verified, scope, request.account());
        return verified.grant();
    }

    private void checkScope(Verified token, TokenScope scope, String account) {
        if (token.audiences().stream().anyMatch(audience -> rules.isForAccount(audience, account))) {
            return;
        }
        if (token.audiences().stream().noneMatch(rules::isForService)) {
            throw AuthenticationError.unauthorized("the token is for the audience " + token.audiences());
        }
        if (scope != TokenScope.ANY && !token.accounts().contains(account)) {
            throw ServiceError.of(ServiceCode.AUTHORIZATION_PERMISSION_MISMATCH)
                    .because(
                            "the account takes tokens for itself only; the audience of this one is " + token.audiences()
                                    + ", and its claim " + rules.accountClaim() + " names " + token.accounts());
        }
    }

    private static ByteBuffer digest(String token) {
        try {
            return ByteBuffer.wrap(MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this Java has no SHA-256", e);
        }
    }

    private Verified verified(String token, JWKSet known, long nowTicks) {
        try {
            SignedJWT signed = SignedJWT.parse(token);
            JWTClaimsSet claims = signed.getJWTClaimsSet();
            checkIssuer(claims);
            if (!signed.verify(verifier(signed, known, nowTicks))) {
                throw AuthenticationError.unauthorized("the token's signature does not fit");
            }
            return read(claims, known);
        } catch (ParseException | JOSEException | IllegalArgumentException malformed) {
            throw AuthenticationError.unauthorized("the token cannot be read: " + malformed.getMessage());
        }
    }

    private void checkIssuer(JWTClaimsSet claims) {
        String issuer = claims.getIssuer();
        if (issuer == null || !rules.issuers().contains(issuer)) {
            throw AuthenticationError.unauthorized("the token was issued by " + issuer);
        }
    }

    private JWSVerifier verifier(SignedJWT signed, JWKSet known, long nowTicks) throws JOSEException {
        JWSAlgorithm algorithm = signed.getHeader().getAlgorithm();
        if (!ALGORITHMS.contains(algorithm)) {
            throw AuthenticationError.unauthorized("the token is signed by " + algorithm);
        }
        String id = signed.getHeader().getKeyID();
        JWK key = id == null ? null : known.getKeyByKeyId(id);
        if (key == null) {
            throw unknownKey(id, nowTicks);
        }
        boolean signs = key.getKeyUse() == null || key.getKeyUse().equals(KeyUse.SIGNATURE);
        if (signs && key instanceof RSAKey rsa) {
            return new RSASSAVerifier(rsa);
        }
        if (signs && key instanceof ECKey ec) {
            return new ECDSAVerifier(ec);
        }
        throw AuthenticationError.unauthorized("the token names the key " + id + ", which is for something else");
    }

    private ServiceError unknownKey(@Nullable String id, long nowTicks) {
        if (id == null || id.length() > KEY_ID_LENGTH_MAX) {
            return AuthenticationError.unauthorized("the token names no key");
        }
        Asked before = asked.get(id);
        if (before == null || nowTicks - before.ticks() > ASKED_AGAIN_TICKS) {
            before = new Asked(keys.refresh(), nowTicks);
            asked.put(id, before);
        }
        return keys.lastReading() < before.reading()
                ? ServiceError.of(ServiceCode.SERVER_BUSY, "The keys of the issuer of tokens are being read.")
                : AuthenticationError.unauthorized(
                        "the token names the key " + id + ", which its issuer does not have");
    }

    private Verified read(JWTClaimsSet claims, JWKSet known) throws ParseException {
        Date until = claims.getExpirationTime();
        if (until == null) {
            throw AuthenticationError.unauthorized("the token has no end");
        }
        List<String> roles = claims.getStringListClaim("roles");
        return new Verified(
                known,
                claims.getAudience(),
                accounts(claims),
                ticks(claims.getNotBeforeTime(), Ticks.MIN),
                ticks(until, Ticks.MAX),
                rules.grant(roles == null ? List.of() : roles));
    }

    private List<String> accounts(JWTClaimsSet claims) throws ParseException {
        Object named = claims.getClaim(rules.accountClaim());
        if (named instanceof String one) {
            return List.of(one);
        }
        List<String> several = claims.getStringListClaim(rules.accountClaim());
        return several == null ? List.of() : several;
    }

    private static long ticks(@Nullable Date date, long otherwise) {
        if (date == null) {
            return otherwise;
        }
        long millis = Math.max(
                Ticks.MIN / Ticks.PER_MILLI,
                Math.min(Ticks.MAX / Ticks.PER_MILLI, date.toInstant().toEpochMilli()));
        return millis * Ticks.PER_MILLI;
    }
}
