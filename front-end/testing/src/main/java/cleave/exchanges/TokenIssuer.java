package cleave.exchanges;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSSigner;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import com.nimbusds.jwt.SignedJWT;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Map;

/** Whose tokens the servers of the scenes take, and who passes himself off as that. */
public final class TokenIssuer {
    public static final String NAME = "https://sts.windows.net/8f1d2c3b-0a4e-4b5c-9d6e-7f8091a2b3c4/";

    private static final Map<String, String> ROLES = Map.of(
            "reader", "Storage Table Data Reader",
            "contributor", "Storage Table Data Contributor",
            "owner", "Storage Blob Data Owner");

    private static final RSAKey KEY = key();
    private static final RSAKey FORGED = key();

    private TokenIssuer() {}

    private static RSAKey key() {
        try {
            return new RSAKeyGenerator(2048).keyID("key-1").generate();
        } catch (JOSEException missing) {
            throw new IllegalStateException(missing);
        }
    }

    /** The keys that the issuer publishes. */
    public static JWKSet keys() {
        return new JWKSet(KEY).toPublicJWKSet();
    }

    /**
     * A token of the issuer, for the storage service, that counts for an hour in one account.
     *
     * @param words deviate from that: claims by their names, {@code none} for none; {@code role}; {@code kid} and {@code alg} of
     *     the header; {@code key=forged} signs with another key than the header names
     */
    static String token(String account, Map<String, String> words, Instant now) {
        String algorithm = words.getOrDefault("alg", "RS256");
        try {
            JWTClaimsSet claims = claims(account, words, now);
            if (algorithm.equals("none")) {
                return new PlainJWT(claims).serialize();
            }
            JWSHeader header = new JWSHeader.Builder(JWSAlgorithm.parse(algorithm))
                    .keyID(words.getOrDefault("kid", KEY.getKeyID()))
                    .build();
            SignedJWT token = new SignedJWT(header, claims);
            token.sign(signer(algorithm, words.getOrDefault("key", "").equals("forged") ? FORGED : KEY));
            return token.serialize();
        } catch (JOSEException missing) {
            throw new IllegalStateException(missing);
        }
    }

    /** A shared secret can only be what everybody knows: the public key. */
    private static JWSSigner signer(String algorithm, RSAKey key) throws JOSEException {
        return algorithm.startsWith("HS") ? new MACSigner(key.toRSAPublicKey().getEncoded()) : new RSASSASigner(key);
    }

    private static JWTClaimsSet claims(String account, Map<String, String> words, Instant now) {
        JWTClaimsSet.Builder claims = new JWTClaimsSet.Builder()
                .issuer(words.getOrDefault("iss", NAME))
                .audience(words.getOrDefault("aud", "https://storage.azure.com"))
                .claim("cleave_account", words.getOrDefault("cleave_account", account))
                .notBeforeTime(date(words, "nbf", now.minus(Duration.ofMinutes(5))))
                .expirationTime(date(words, "exp", now.plus(Duration.ofHours(1))));
        if (words.containsKey("role")) {
            claims.claim("roles", List.of(ROLES.getOrDefault(words.get("role"), "")));
        }
        words.forEach((name, value) -> {
            if (value.equals("none")) {
                claims.claim(name, null);
            }
        });
        return claims.build();
    }

    private static Date date(Map<String, String> words, String name, Instant usual) {
        String word = words.getOrDefault(name, "none");
        return Date.from(word.equals("none") ? usual : Instant.parse(word));
    }
}
