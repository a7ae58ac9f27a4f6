package cleave.frontend.protocol.auth;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.frontend.protocol.odata.QueryString;
import cleave.frontend.protocol.odata.Refused;
import cleave.frontend.protocol.odata.ServiceCode;
import cleave.model.Ticks;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import net.jqwik.api.ForAll;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SharedKeyTest {
    private static final String ACCOUNT = Accounts.DEVELOPMENT_ACCOUNT;
    private static final String DATE = "Wed, 01 May 2024 08:00:00 GMT";
    private static final long NOW = Instant.parse("2024-05-01T08:00:00Z").toEpochMilli();
    private static final String PATH = "/devstoreaccount1/Orders(PartitionKey='p',RowKey='r')";
    private static final String OTHER_KEY = "b3RoZXI=";

    private final Accounts accounts =
            Accounts.parse(List.of(ACCOUNT + "=" + OTHER_KEY)).withDevelopmentAccount();
    private final Authenticator authenticator = new Authenticator(() -> accounts, Trace.OFF);
    private final Map<String, String> headers = new LinkedHashMap<>(Map.of("x-ms-date", DATE));

    private static String signature(String key, String text) throws Exception {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(Base64.getDecoder().decode(key), "HmacSHA256"));
        return Base64.getEncoder().encodeToString(mac.doFinal(text.getBytes(StandardCharsets.UTF_8)));
    }

    private void sign(String scheme, String text) throws Exception {
        headers.put("Authorization", scheme + " " + ACCOUNT + ":" + signature(Accounts.DEVELOPMENT_KEY, text));
    }

    private void check(String path, @Nullable String query, long now) {
        SignedRequest request = new SignedRequest(
                "id",
                "GET",
                path,
                QueryString.parse(query),
                ACCOUNT,
                false,
                "10.0.0.1",
                name -> headers.containsKey(name) ? List.of(headers.get(name)) : List.of());
        assertThat(authenticator.authenticate(request, now * Ticks.PER_MILLI)).isSameAs(Grant.FULL);
    }

    private void refused(ServiceCode code) {
        Refused.with(code, () -> check(PATH, null, NOW));
    }

    /** The signature was made with openssl. */
    @Test
    void knownVectorOfSharedKeyLiteIsTaken() {
        headers.put("Authorization", "SharedKeyLite devstoreaccount1:bs8BHOfA9SLzFwAdaFwrw60vuzc5P9NwHSPLVG+uMkE=");
        check("/devstoreaccount1/Tables", null, NOW);
    }

    @Test
    void fullSignsMethodAndContentToo() throws Exception {
        headers.put("Content-MD5", "md5");
        headers.put("Content-Type", "application/json");
        sign("SharedKey", "GET\nmd5\napplication/json\n" + DATE + "\n/devstoreaccount1" + PATH);
        check(PATH, null, NOW);
        headers.put("Content-Type", "text/plain");
        refused(ServiceCode.AUTHENTICATION_FAILED);
    }

    @Test
    void compIsTheOnlyOptionThatIsSigned() throws Exception {
        sign("SharedKeyLite", DATE + "\n/devstoreaccount1/devstoreaccount1/Orders?comp=acl");
        check("/devstoreaccount1/Orders", "timeout=5&comp=acl", NOW);
    }

    @Test
    void emptyPathIsASlash() throws Exception {
        sign("SharedKeyLite", DATE + "\n/devstoreaccount1/?comp=properties");
        check("", "restype=service&comp=properties", NOW);
    }

    @Test
    void dateHeaderCountsWhereThereIsNoOther() throws Exception {
        headers.remove("x-ms-date");
        headers.put("Date", DATE);
        sign("SharedKeyLite", DATE + "\n/devstoreaccount1" + PATH);
        check(PATH, null, NOW);
        headers.put("x-ms-date", "Wed, 01 May 2024 08:00:01 GMT");
        check(PATH, null, NOW);
    }

    @Test
    void emptyDateIsNeverTaken() throws Exception {
        sign("SharedKeyLite", "\n/devstoreaccount1" + PATH);
        refused(ServiceCode.AUTHENTICATION_FAILED);
        headers.put("x-ms-date", "");
        refused(ServiceCode.AUTHENTICATION_FAILED);
        headers.remove("x-ms-date");
        refused(ServiceCode.AUTHENTICATION_FAILED);
    }

    @Test
    void datesCountForFifteenMinutesEitherWay() throws Exception {
        sign("SharedKeyLite", DATE + "\n/devstoreaccount1" + PATH);
        long skew = Authenticator.SKEW_MILLIS_MAX;
        check(PATH, null, NOW + skew);
        check(PATH, null, NOW - skew);
        Refused.with(ServiceCode.AUTHENTICATION_FAILED, () -> check(PATH, null, NOW + skew + 1));
        Refused.with(ServiceCode.AUTHENTICATION_FAILED, () -> check(PATH, null, NOW - skew - 1));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "/devstoreaccount1/Orders(PartitionKey='p',RowKey='it''s')"
                        + "|/devstoreaccount1/Orders(PartitionKey=%27p%27,RowKey=%27it%27%27s%27)",
                "/devstoreaccount1/Orders(PartitionKey=%27p%27,RowKey=%27r%27)"
                        + "|/devstoreaccount1/Orders%28PartitionKey=%27p%27%2cRowKey=%27r%27%29",
                "/devstoreaccount1/Orders%28PartitionKey%3D%27p%27%2CRowKey%3D%27r%27%29"
                        + "|/devstoreaccount1/Orders(PartitionKey='p',RowKey='r')",
                "/devstoreaccount1/$batch|/devstoreaccount1/%24batch",
                "/devstoreaccount1/Tables|/devstoreaccount1-secondary/Tables",
                "/devstoreaccount1-secondary/Tables|/devstoreaccount1-secondary/Tables",
            })
    void pathMayHaveBeenNormalizedOnItsWay(String signed, String sent) throws Exception {
        sign("SharedKeyLite", DATE + "\n/devstoreaccount1" + signed);
        check(sent, null, NOW);
    }

    @Test
    void secondaryMayBeNamedAsTheAccount() throws Exception {
        String path = "/devstoreaccount1-secondary/Tables";
        headers.put(
                "Authorization",
                "SharedKeyLite devstoreaccount1-secondary:"
                        + signature(Accounts.DEVELOPMENT_KEY, DATE + "\n/devstoreaccount1-secondary" + path));
        check(path, null, NOW);
    }

    @ParameterizedTest
    @ValueSource(strings = {"SharedKey", "Basic abc", "SharedKeyLite devstoreaccount1", "sharedkey a:b", ":", "x"})
    void malformedCredentialsAreToldSo(String authorization) {
        headers.put("Authorization", authorization);
        refused(ServiceCode.INVALID_AUTHENTICATION_INFO);
    }

    @ParameterizedTest
    @ValueSource(strings = {"SharedKey devstoreaccount1:", "SharedKeyLite devstoreaccount1:***", "SharedKey :abcd"})
    void signaturesThatAreNoneFail(String authorization) {
        headers.put("Authorization", authorization);
        refused(ServiceCode.AUTHENTICATION_FAILED);
    }

    @Test
    void withoutCredentialsNewVersionsAreChallengedAndOldOnesRefused() {
        refused(ServiceCode.AUTHENTICATION_FAILED);
        headers.put("x-ms-version", "2019-07-07");
        refused(ServiceCode.AUTHENTICATION_FAILED);
        headers.put("x-ms-version", "2020-12-06");
        assertThat(Refused.with(ServiceCode.INVALID_AUTHENTICATION_INFO, () -> check(PATH, null, NOW))
                        .status())
                .isEqualTo(401);
        headers.put("Authorization", "Bearer abc");
        assertThat(Refused.with(ServiceCode.INVALID_AUTHENTICATION_INFO, () -> check(PATH, null, NOW))
                        .status())
                .isEqualTo(401);
    }

    @net.jqwik.api.Property(tries = 300)
    void anyHeadersAreRefusedAndNothingWorse(@ForAll String text, @ForAll String path) {
        for (String authorization : List.of(text, "SharedKey devstoreaccount1:" + text, "SharedKeyLite " + text)) {
            SignedRequest request = new SignedRequest(
                    "id",
                    "GET",
                    path,
                    QueryString.EMPTY,
                    ACCOUNT,
                    false,
                    "10.0.0.1",
                    name -> List.of(name.equals("Authorization") ? authorization : text));
            assertThat(org.assertj.core.api.Assertions.catchThrowable(
                            () -> authenticator.authenticate(request, NOW * Ticks.PER_MILLI)))
                    .isInstanceOf(cleave.frontend.protocol.odata.ServiceError.class);
        }
    }
}
