package cleave.frontend.protocol.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.frontend.protocol.odata.Body;
import cleave.frontend.protocol.odata.DateTimeText;
import cleave.frontend.protocol.odata.ServiceError;
import cleave.model.table.AccessPolicy;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SignedIdentifiersTest {
    private static String of(String policies) {
        return "<?xml version=\"1.0\" encoding=\"utf-8\"?>\r\n<SignedIdentifiers>\r\n " + policies
                + "\n</SignedIdentifiers>\n";
    }

    private static String policy(String id, String terms) {
        return "<SignedIdentifier><Id>" + id + "</Id>" + terms + "</SignedIdentifier>";
    }

    private static String terms(String more) {
        return of(policy("p", "<AccessPolicy>" + more + "</AccessPolicy>"));
    }

    private static List<AccessPolicy> read(String text) {
        return SignedIdentifiers.read(Body.of(text));
    }

    private static void assertRefused(String text, String code) {
        assertThatThrownBy(() -> read(text))
                .as(text)
                .isInstanceOfSatisfying(
                        ServiceError.class,
                        error -> assertThat(error.code().wireName()).isEqualTo(code));
    }

    @Test
    void whatIsWrittenIsReadAgain() {
        List<AccessPolicy> policies = List.of(
                new AccessPolicy("a", 0L, 1_234_567L, "raud"),
                new AccessPolicy("b <&>\r \u20ac \ud83d\ude00", null, null, null),
                new AccessPolicy("c", -1L, null, null),
                new AccessPolicy("d", null, null, "u"));

        assertThat(SignedIdentifiers.read(Body.of(SignedIdentifiers.write(policies))))
                .isEqualTo(policies);
    }

    @Test
    void policiesThatSayNothingHaveAnIdOnly() {
        assertThat(read(of(policy("a", "<AccessPolicy/>")
                        + policy("A", "")
                        + policy(
                                "c",
                                "<AccessPolicy><Start/><Expiry></Expiry><Permission> </Permission></AccessPolicy>"))))
                .containsExactly(
                        new AccessPolicy("a", null, null, null),
                        new AccessPolicy("A", null, null, null),
                        new AccessPolicy("c", null, null, null));
        assertThat(new String(
                        SignedIdentifiers.write(List.of(new AccessPolicy("a", null, null, null))),
                        StandardCharsets.UTF_8))
                .endsWith("<SignedIdentifiers><SignedIdentifier><Id>a</Id></SignedIdentifier></SignedIdentifiers>");
    }

    @ParameterizedTest
    @CsvSource({
        "2024-05-01,2024-05-01T00:00:00.0000000Z",
        "2024-05-01T08:30Z,2024-05-01T08:30:00.0000000Z",
        "2024-05-01T08:30:15Z,2024-05-01T08:30:15.0000000Z",
        "2024-05-01T08:30:15.1234567Z,2024-05-01T08:30:15.1234567Z",
        "' 2024-05-01T08:30:15.12Z ',2024-05-01T08:30:15.1200000Z",
        "9999-12-31T23:59:59.9999999Z,9999-12-31T23:59:59.9999999Z",
        "0001-01-01,0001-01-01T00:00:00.0000000Z"
    })
    void datesHaveSeveralForms(String given, String normal) {
        Long start = read(terms("<Start>" + given + "</Start>")).get(0).start();
        Objects.requireNonNull(start);

        assertThat(DateTimeText.sevenDigits(start)).isEqualTo(normal);
    }

    @ParameterizedTest
    @CsvSource({"r,r", "udar,raud", "' au ',au", "d,d"})
    void permissionsComeInAnyOrder(String given, String ordered) {
        assertThat(read(terms("<Permission>" + given + "</Permission>")).get(0).permissions())
                .isEqualTo(ordered);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<Start>yesterday</Start>",
                "<Start>2024-13-01</Start>",
                "<Expiry>2024-05-01T25:00Z</Expiry>",
                "<Expiry>99999-05-01</Expiry>",
                "<Permission>rx</Permission>",
                "<Permission>rr</Permission>",
                "<Permission>R</Permission>",
                "<Permission>raudr</Permission>"
            })
    void valuesAreChecked(String value) {
        assertRefused(terms(value), "InvalidXmlNodeValue");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "   ",
                "nonsense",
                "{}",
                "<SignedIdentifiers>",
                "<SignedIdentifiers></SignedIdentifier>",
                "<SignedIdentifiers/><SignedIdentifiers/>",
                "<SignedIdentifiers/>x",
                "<Other/>",
                "<signedidentifiers/>",
                "<SignedIdentifiers>text</SignedIdentifiers>",
                "<SignedIdentifiers><Other/></SignedIdentifiers>",
                "<SignedIdentifiers><SignedIdentifier/></SignedIdentifiers>",
                "<SignedIdentifiers><SignedIdentifier><Id/></SignedIdentifier></SignedIdentifiers>",
                "<SignedIdentifiers><SignedIdentifier><Id>a</Id><Id>b</Id></SignedIdentifier></SignedIdentifiers>",
                "<SignedIdentifiers><SignedIdentifier><Id><b/></Id></SignedIdentifier></SignedIdentifiers>",
                "<SignedIdentifiers><SignedIdentifier><Id>a</Id><AccessPolicy/><AccessPolicy/></SignedIdentifier></SignedIdentifiers>",
                "<SignedIdentifiers><SignedIdentifier><Id>a</Id><AccessPolicy><Id>a</Id></AccessPolicy></SignedIdentifier></SignedIdentifiers>",
                "<SignedIdentifiers><?target data?></SignedIdentifiers>",
                "<SignedIdentifiers>&undeclared;</SignedIdentifiers>",
                "<x:SignedIdentifiers/>",
                "<SignedIdentifiers a='1' a='2'/>",
                "<!DOCTYPE SignedIdentifiers><SignedIdentifiers/>",
                "<!DOCTYPE i[\uffff",
                "<SignedIdentifiers>\u0001</SignedIdentifiers>"
            })
    void anythingElseIsNoDocument(String text) {
        assertRefused(text, "InvalidXmlDocument");
    }

    @Test
    void nothingOutsideOfTheDocumentIsRead() {
        assertRefused(
                "<!DOCTYPE x [<!ENTITY e SYSTEM \"file:///etc/hostname\">]>"
                        + of(policy("&e;", "")).substring(40),
                "InvalidXmlDocument");
        assertRefused(
                "<!DOCTYPE SignedIdentifiers SYSTEM \"http://127.0.0.1:1/x.dtd\"><SignedIdentifiers/>",
                "InvalidXmlDocument");
        assertRefused(
                "<!DOCTYPE x [<!ENTITY % p SYSTEM \"file:///etc/hostname\"> %p;]><SignedIdentifiers/>",
                "InvalidXmlDocument");
    }

    @Test
    void entitiesAreNotMultiplied() {
        StringBuilder laughs = new StringBuilder("<!DOCTYPE x [<!ENTITY a0 \"ha\">");
        for (int i = 1; i < 30; i++) {
            laughs.append("<!ENTITY a")
                    .append(i)
                    .append(" \"")
                    .append(("&a" + (i - 1) + ";").repeat(10))
                    .append("\">");
        }
        assertRefused(laughs + "]><SignedIdentifiers>&a29;</SignedIdentifiers>", "InvalidXmlDocument");
    }

    @Test
    void sizeAndDepthHaveALimit() {
        assertRefused(of(" ".repeat(70_000)), "RequestBodyTooLarge");
        assertRefused("<SignedIdentifiers>".repeat(3_000), "InvalidXmlDocument");
        assertRefused("<SignedIdentifiers " + attributes(10_000) + "/>", "RequestBodyTooLarge");
        assertRefused("<SignedIdentifiers " + attributes(3_000) + "/> x", "InvalidXmlDocument");
    }

    private static String attributes(int count) {
        StringBuilder attributes = new StringBuilder();
        for (int i = 0; i < count; i++) {
            attributes.append(" a").append(i).append("='1'");
        }
        return attributes.toString();
    }

    @Test
    void onlyUtf8IsRead() {
        byte[] latin = of(policy("\u00e4", "")).getBytes(StandardCharsets.ISO_8859_1);

        assertThatThrownBy(() -> SignedIdentifiers.read(Body.of(latin))).isInstanceOf(ServiceError.class);
        assertThatThrownBy(
                        () -> SignedIdentifiers.read(Body.of(of(policy("a", "")).getBytes(StandardCharsets.UTF_16))))
                .isInstanceOf(ServiceError.class);
    }

    @Test
    void noiseIsReadOrRefused() {
        long seed = Long.getLong("seed", 20261122L);
        Random random = new Random(seed);
        byte[] valid =
                terms("<Start>2024-05-01</Start><Permission>r</Permission>").getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < 20_000; i++) {
            byte[] noise = valid.clone();
            for (int flips = 1 + random.nextInt(6); flips > 0; flips--) {
                noise[random.nextInt(noise.length)] =
                        (byte) "<>&;!?-[]='\"/ \u0001xCDATA#DOCTYPE".charAt(random.nextInt(28));
            }
            try {
                SignedIdentifiers.read(Body.of(noise));
            } catch (ServiceError refused) {
                assertThat(refused.status()).as("seed %s", seed).isEqualTo(400);
            }
        }
    }
}
