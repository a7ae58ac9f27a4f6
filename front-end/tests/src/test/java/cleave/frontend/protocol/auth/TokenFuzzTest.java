package cleave.frontend.protocol.auth;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.frontend.fuzz.Fuzz;
import cleave.frontend.protocol.odata.ServiceError;
import cleave.model.Ticks;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.Signature;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Bearer tokens that no issuer should make: some are forged, some are signed and say odd things. */
class TokenFuzzTest {
    /** 2024-05-01T08:00:00Z. */
    private static final int NOW_SECONDS = 1_714_550_400;

    private static final int SKEW_SECONDS = 60;

    private final IssuerOfTests issuer = new IssuerOfTests();
    private final Authenticator authenticator =
            new Authenticator(Accounts::development, Trace.OFF, IssuerOfTests.RULES, issuer);
    private final PrivateKey rsaKey;
    private final PrivateKey curveKey;

    TokenFuzzTest() throws JOSEException {
        ECKey curve = new ECKeyGenerator(Curve.P_256).keyID("e1").generate();
        rsaKey = IssuerOfTests.made().toPrivateKey();
        curveKey = curve.toPrivateKey();
        issuer.publish(new JWKSet(List.of(IssuerOfTests.made(), curve)).toPublicJWKSet());
    }

    /** The first line is a header, the rest are claims: they are tried as they stand, and signed by the issuer. */
    @Test
    void anyTokenIsJudgedAndNoneCountsThatItsIssuerDidNotMeanSo() {
        Fuzz.of("token", 4000).run(300, text -> {
            assertThat(told(() -> judged(text))).isNotEqualTo("fine");
            int line = text.indexOf('\n');
            String header = line < 0 ? text : text.substring(0, line);
            byte[] claims = Fuzz.bytes(line < 0 ? "" : text.substring(line + 1));
            String content = encoded(Fuzz.bytes(header)) + "." + encoded(claims);
            assertThat(told(() -> judged(content + "."))).isNotEqualTo("fine");
            return told(() -> {
                Grant grant = judged(content + "." + signature(content, !header.contains("ES256")));
                assertThat(grant).isInstanceOf(Grant.OfRoles.class);
                assertCounts(claims);
            });
        });
    }

    private Grant judged(String token) {
        return authenticator.authenticate(
                IssuerOfTests.query(token, true, "2020-12-06"), NOW_SECONDS * Ticks.PER_SECOND);
    }

    /** Another reader of JSON understands them in the same way. */
    private static void assertCounts(byte[] claims) {
        Map<String, String> said = new HashMap<>();
        try (JsonParser json = new JsonFactory().createParser(claims)) {
            assertThat(json.nextToken()).isEqualTo(JsonToken.START_OBJECT);
            for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
                json.nextToken();
                String value = json.getText();
                json.skipChildren();
                assertThat(said.put(name, value)).isNull();
            }
        } catch (IOException malformed) {
            throw new UncheckedIOException(malformed);
        }
        assertThat(said).containsEntry("iss", IssuerOfTests.ISSUER).containsKeys("aud", "exp");
        assertThat(Double.parseDouble(said.get("exp"))).isGreaterThan(NOW_SECONDS - SKEW_SECONDS);
        assertThat(Double.parseDouble(said.getOrDefault("nbf", "0"))).isLessThan(NOW_SECONDS + SKEW_SECONDS + 1);
    }

    private String signature(String content, boolean byRsa) {
        try {
            Signature signature = Signature.getInstance(byRsa ? "SHA256withRSA" : "SHA256withECDSAinP1363Format");
            signature.initSign(byRsa ? rsaKey : curveKey);
            signature.update(content.getBytes(StandardCharsets.US_ASCII));
            return encoded(signature.sign());
        } catch (GeneralSecurityException impossible) {
            throw new AssertionError(impossible);
        }
    }

    private static String encoded(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    private static String told(Runnable call) {
        try {
            call.run();
            return "fine";
        } catch (ServiceError refused) {
            // Or the issuer is asked for a key that it may have made meanwhile.
            assertThat(refused.status() == 503 || (refused.status() >= 400 && refused.status() <= 403))
                    .isTrue();
            return String.valueOf(refused.reason()).replaceAll("[^a-z ]", "");
        }
    }
}
