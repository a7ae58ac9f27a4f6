package cleave.frontend.protocol.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import cleave.frontend.protocol.odata.Refused;
import cleave.frontend.protocol.odata.ServiceCode;
import cleave.frontend.protocol.odata.ServiceError;
import cleave.model.Ticks;
import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.KeyUse;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import java.time.Instant;
import java.util.Arrays;
import java.util.Date;
import java.util.List;
import net.jqwik.api.ForAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TokensTest {
    private static final long NOW = Instant.parse("2024-05-01T08:00:00Z").toEpochMilli();
    private static final String READER = "Storage Table Data Reader";
    private static final String CONTRIBUTOR = "Storage Table Data Contributor";

    private final IssuerOfTests issuer = new IssuerOfTests();
    private final Authenticator authenticator =
            new Authenticator(Accounts::development, Trace.OFF, IssuerOfTests.RULES, issuer);
    private boolean secure = true;
    private String version = "2020-12-06";

    private Grant judged(String token, long nowMillis) {
        return authenticator.authenticate(IssuerOfTests.query(token, secure, version), nowMillis * Ticks.PER_MILLI);
    }

    private Grant judged(JWTClaimsSet.Builder claims) {
        return judged(IssuerOfTests.token(claims), NOW);
    }

    private static JWTClaimsSet.Builder claims(String... roles) {
        return IssuerOfTests.claims(NOW, roles);
    }

    private static void refused(org.assertj.core.api.ThrowableAssert.ThrowingCallable call, String reason) {
        ServiceError error = Refused.with(ServiceCode.INVALID_AUTHENTICATION_INFO, call);
        assertThat(error.status()).isEqualTo(401);
        assertThat(error.reason()).contains(reason);
    }

    @Test
    void tokensCountInTheAccountsThatTheyName() {
        for (Object these : List.of("devstoreaccount1", List.of("another", "devstoreaccount1"))) {
            assertThat(judged(claims(READER).claim("cleave_account", these))).isInstanceOf(Grant.OfRoles.class);
        }
        for (Object others : List.of("another", List.of("another"), List.of(), "devstoreaccount", "*")) {
            Refused.with(
                    ServiceCode.AUTHORIZATION_PERMISSION_MISMATCH,
                    () -> judged(claims(READER).claim("cleave_account", others)));
        }
        refused(() -> judged(claims(READER).claim("cleave_account", 5)), "cannot be read");
        judged(claims(READER).claim("cleave_account", Arrays.asList(null, "devstoreaccount1")));
    }

    /** Judged each time, remembered or not. */
    @Test
    void tokensCountFromTheirBeginningToTheirEndWithAMinuteOfSkew() {
        String token = IssuerOfTests.token(claims(READER));
        long end = NOW + 3_600_000;
        judged(token, NOW - 60_000);
        judged(token, end + 59_999);
        refused(() -> judged(token, NOW - 60_001), "not valid yet");
        refused(() -> judged(token, end + 60_000), "expired");
        refused(() -> judged(claims(READER).expirationTime(null)), "no end");
        judged(claims(READER).notBeforeTime(null));
        judged(claims(READER).expirationTime(Date.from(Instant.ofEpochMilli(Long.MAX_VALUE / 1000))));
    }

    @Test
    void onlyTheIssuerSigns() {
        refused(() -> judged(claims(READER).issuer("https://login.example/other/")), "issued by");
        refused(() -> judged(claims(READER).issuer(null)), "issued by");
        RSAKey forged = IssuerOfTests.key("k1");
        refused(() -> judged(IssuerOfTests.token(claims(READER), forged), NOW), "does not fit");
        String good = IssuerOfTests.token(claims(READER));
        String[] parts = good.split("\\.");
        String claims = java.util.Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(
                        claims(CONTRIBUTOR).build().toString().getBytes(java.nio.charset.StandardCharsets.UTF_8));
        refused(() -> judged(parts[0] + "." + claims + "." + parts[2], NOW), "does not fit");
    }

    @Test
    void neitherUnsignedTokensNorThoseOfASharedSecretCount() throws JOSEException {
        refused(() -> judged(new PlainJWT(claims(READER).build()).serialize(), NOW), "cannot be read");
        byte[] publicKey = IssuerOfTests.made().toRSAPublicKey().getEncoded();
        String confused = IssuerOfTests.token(
                claims(READER),
                new JWSHeader.Builder(JWSAlgorithm.HS256).keyID("k1").build(),
                new MACSigner(publicKey));
        refused(() -> judged(confused, NOW), "HS256");
    }

    @Test
    void ellipticCurvesSignToo() throws JOSEException {
        ECKey key = new ECKeyGenerator(Curve.P_256).keyID("e1").generate();
        issuer.publish(new JWKSet(List.of(IssuerOfTests.made(), key)).toPublicJWKSet());
        JWSHeader header = new JWSHeader.Builder(JWSAlgorithm.ES256).keyID("e1").build();
        assertThat(judged(IssuerOfTests.token(claims(READER), header, new ECDSASigner(key)), NOW))
                .isInstanceOf(Grant.OfRoles.class);
        JWSHeader crossed =
                new JWSHeader.Builder(JWSAlgorithm.ES256).keyID("k1").build();
        refused(() -> judged(IssuerOfTests.token(claims(READER), crossed, new ECDSASigner(key)), NOW), "");
    }

    @Test
    void aKeyThatIsNotKnownIsAskedForAndAReplacedOneNoLongerCounts() {
        String token = IssuerOfTests.token(claims(READER));
        judged(token, NOW);
        RSAKey next = IssuerOfTests.key("k2");
        String early = IssuerOfTests.token(claims(READER), next);
        Refused.with(ServiceCode.SERVER_BUSY, () -> judged(early, NOW));
        assertThat(issuer.refreshes).isEqualTo(1);

        issuer.publish(new JWKSet(next).toPublicJWKSet());

        assertThat(judged(early, NOW)).isInstanceOf(Grant.OfRoles.class);
        Refused.with(ServiceCode.SERVER_BUSY, () -> judged(token, NOW));
        issuer.publish(issuer.current());
        refused(() -> judged(token, NOW), "k1");
        assertThat(issuer.refreshes).isEqualTo(2);
    }

    @Test
    void anUnknownKeyIsAskedForOnceInAMinute() {
        String token = IssuerOfTests.token(claims(READER), IssuerOfTests.key("none"));
        Refused.with(ServiceCode.SERVER_BUSY, () -> judged(token, NOW));
        Refused.with(ServiceCode.SERVER_BUSY, () -> judged(token, NOW));
        issuer.publish(issuer.current());
        refused(() -> judged(token, NOW + 60_000), "none");
        assertThat(issuer.refreshes).isEqualTo(1);
        Refused.with(ServiceCode.SERVER_BUSY, () -> judged(token, NOW + 60_001));
        assertThat(issuer.refreshes).isEqualTo(2);
    }

    @Test
    void nothingIsAskedForATokenThatCouldNotCountByAnyKey() {
        RSAKey nobodys = IssuerOfTests.key("none");
        refused(() -> judged(IssuerOfTests.token(claims(READER).issuer("https://other/"), nobodys), NOW), "issued by");
        RSAKey endless = IssuerOfTests.key("x".repeat(251));
        refused(() -> judged(IssuerOfTests.token(claims(READER), endless), NOW), "names no key");
        assertThat(issuer.refreshes).isZero();
    }

    @Test
    void keysForEncryptionDoNotSign() {
        issuer.publish(new JWKSet(new RSAKey.Builder(IssuerOfTests.made())
                        .keyUse(KeyUse.ENCRYPTION)
                        .build())
                .toPublicJWKSet());
        refused(() -> judged(claims(READER)), "something else");
    }

    @Test
    void untilTheKeysAreKnownClientsShallTryAgain() {
        issuer.publish(null);
        Refused.with(ServiceCode.SERVER_BUSY, () -> judged(claims(READER)));
    }

    @Test
    void tokensNeedHttpsAndAVersion() {
        secure = false;
        Refused.with(ServiceCode.AUTHORIZATION_PROTOCOL_MISMATCH, () -> judged(claims(READER)));
        secure = true;
        version = "2017-11-09";
        judged(claims(READER));
        version = "2017-11-08";
        Refused.with(ServiceCode.AUTHENTICATION_FAILED, () -> judged(claims(READER)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "abc", "a.b.c", "e30.e30.", "..", "eyJhbGciOiJSUzI1NiJ9.e30.AAAA"})
    void whatIsNoTokenIsRefused(String token) {
        refused(() -> judged(token, NOW), "");
    }

    @net.jqwik.api.Property(tries = 100)
    void anyTextIsRefusedAndNothingWorse(@ForAll String text) {
        String good = IssuerOfTests.token(claims(READER));
        for (String token :
                List.of(text, text + "." + text + "." + text, good + text + "x", good.replace(".", text + "."))) {
            Throwable thrown = catchThrowable(() -> judged(token, NOW));
            assertThat(thrown == null || thrown instanceof ServiceError)
                    .as("%s", thrown)
                    .isTrue();
        }
    }
}
