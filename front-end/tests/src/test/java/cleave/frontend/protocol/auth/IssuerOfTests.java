package cleave.frontend.protocol.auth;

import cleave.frontend.protocol.odata.QueryString;
import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSSigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** An issuer of tokens, with one key. Confined to the test's thread. */
public final class IssuerOfTests implements IssuerKeys {
    public static final String ISSUER = "https://login.example/tenant/";
    public static final TokenRules RULES = new TokenRules(
            Set.of(ISSUER),
            Set.of("https://storage.azure.com"),
            List.of("table.core.windows.net"),
            "cleave_account",
            Set.of("Storage Table Data Reader"),
            Set.of("Storage Table Data Contributor"));

    /** Made once: it takes a while. */
    private static final class Made {
        static final RSAKey KEY = key("k1");
    }

    @Nullable
    JWKSet known;

    private boolean isMade;
    int refreshes;
    private long lastReading;

    static RSAKey key(String id) {
        try {
            return new RSAKeyGenerator(2048).keyID(id).generate();
        } catch (JOSEException impossible) {
            throw new AssertionError(impossible);
        }
    }

    @Override
    public @Nullable JWKSet current() {
        if (!isMade) {
            isMade = true;
            known = new JWKSet(Made.KEY).toPublicJWKSet();
        }
        return known;
    }

    public void publish(@Nullable JWKSet keys) {
        isMade = true;
        known = keys;
        lastReading++;
    }

    @Override
    public long refresh() {
        refreshes++;
        return lastReading + 1;
    }

    @Override
    public long lastReading() {
        return lastReading;
    }

    /** The claims of a token that counts for an hour, in the development account. */
    public static JWTClaimsSet.Builder claims(long nowMillis, String... roles) {
        return new JWTClaimsSet.Builder()
                .issuer(ISSUER)
                .audience("https://storage.azure.com/")
                .notBeforeTime(Date.from(Instant.ofEpochMilli(nowMillis)))
                .expirationTime(Date.from(Instant.ofEpochMilli(nowMillis + 3_600_000)))
                .claim("cleave_account", Accounts.DEVELOPMENT_ACCOUNT)
                .claim("roles", List.of(roles));
    }

    public static String token(JWTClaimsSet.Builder claims) {
        return token(claims, Made.KEY);
    }

    static String token(JWTClaimsSet.Builder claims, RSAKey key) {
        try {
            return token(
                    claims,
                    new JWSHeader.Builder(JWSAlgorithm.RS256)
                            .keyID(key.getKeyID())
                            .build(),
                    new RSASSASigner(key));
        } catch (JOSEException impossible) {
            throw new AssertionError(impossible);
        }
    }

    static String token(JWTClaimsSet.Builder claims, JWSHeader header, JWSSigner signer) {
        try {
            SignedJWT token = new SignedJWT(header, claims.build());
            token.sign(signer);
            return token.serialize();
        } catch (JOSEException impossible) {
            throw new AssertionError(impossible);
        }
    }

    /** A query of the development account, sent with this token. */
    static SignedRequest query(String token, boolean secure, String version) {
        Map<String, List<String>> headers =
                Map.of("Authorization", List.of("Bearer " + token), "x-ms-version", List.of(version));
        return new SignedRequest(
                "id",
                "GET",
                "/Orders()",
                QueryString.EMPTY,
                Accounts.DEVELOPMENT_ACCOUNT,
                secure,
                "10.0.0.1",
                name -> headers.getOrDefault(name, List.of()));
    }

    static RSAKey made() {
        return Made.KEY;
    }
}
