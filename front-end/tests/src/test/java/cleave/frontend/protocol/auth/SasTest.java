package cleave.frontend.protocol.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import cleave.frontend.protocol.odata.Headers;
import cleave.frontend.protocol.odata.QueryString;
import cleave.frontend.protocol.odata.Refused;
import cleave.frontend.protocol.odata.ServiceCode;
import cleave.frontend.protocol.odata.ServiceError;
import cleave.model.Ticks;
import cleave.model.table.AccessPolicy;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import net.jqwik.api.ForAll;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Shared access signatures, signed here by a few lines that share nothing with the server's. */
class SasTest {
    private static final String ACCOUNT = Accounts.DEVELOPMENT_ACCOUNT;
    private static final String OTHER_KEY = "b3RoZXI=";
    private static final long NOW = ticks("2024-05-01T08:00:00Z");

    private final List<String> tried = new ArrayList<>();
    private final Trace trace = new Trace() {
        @Override
        public boolean isOn() {
            return true;
        }

        @Override
        public void tried(String requestId, String stringToSign) {
            tried.add(stringToSign);
        }

        @Override
        public void refused(String requestId, String why) {}
    };
    private final Accounts accounts =
            Accounts.parse(List.of(ACCOUNT + "=" + OTHER_KEY)).withDevelopmentAccount();
    private final Authenticator authenticator = new Authenticator(() -> accounts, trace);
    private final Map<String, String> fields = new LinkedHashMap<>();
    private String client = "168.1.5.65";
    private boolean secure = true;

    private static long ticks(String instant) {
        return Ticks.of(Instant.parse(instant));
    }

    private static String hmac(String key, String text) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(Base64.getDecoder().decode(key), "HmacSHA256"));
            return Base64.getEncoder().encodeToString(mac.doFinal(text.getBytes(StandardCharsets.UTF_8)));
        } catch (java.security.GeneralSecurityException impossible) {
            throw new AssertionError(impossible);
        }
    }

    private SasTest with(String... namesAndValues) {
        for (int i = 0; i < namesAndValues.length; i += 2) {
            fields.put(namesAndValues[i], namesAndValues[i + 1]);
        }
        return this;
    }

    private String f(String name) {
        return fields.getOrDefault(name, "");
    }

    private SasTest table(String... namesAndValues) {
        with("sv", "2019-02-02", "tn", "Orders", "sp", "r", "se", "2024-05-01T09:00:00Z");
        return with(namesAndValues);
    }

    private SasTest account(String... namesAndValues) {
        with("sv", "2019-02-02", "ss", "t", "srt", "sco", "sp", "rl", "se", "2024-05-01T09:00:00Z");
        return with(namesAndValues);
    }

    private String tableText() {
        return String.join(
                "\n",
                f("sp"),
                f("st"),
                f("se"),
                "/table/devstoreaccount1/orders",
                f("si"),
                f("sip"),
                f("spr"),
                f("sv"),
                f("spk"),
                f("srk"),
                f("epk"),
                f("erk"));
    }

    private String accountText() {
        return String.join("\n", ACCOUNT, f("sp"), f("ss"), f("srt"), f("st"), f("se"), f("sip"), f("spr"), f("sv"))
                + "\n";
    }

    private String query() {
        return fields.entrySet().stream()
                .map(field -> field.getKey() + "=" + URLEncoder.encode(field.getValue(), StandardCharsets.UTF_8))
                .collect(Collectors.joining("&"));
    }

    private Grant judged(String query) {
        return authenticator.authenticate(
                new SignedRequest(
                        "id",
                        "GET",
                        "/devstoreaccount1/Orders()",
                        QueryString.parse(query),
                        ACCOUNT,
                        secure,
                        client,
                        Headers.NONE),
                NOW);
    }

    private Grant signed(String text) {
        with("sig", hmac(Accounts.DEVELOPMENT_KEY, text));
        return judged(query());
    }

    private Grant ofTable() {
        return signed(tableText());
    }

    private Grant ofAccount() {
        return signed(accountText());
    }

    private static void failed(org.assertj.core.api.ThrowableAssert.ThrowingCallable call, String reason) {
        assertThat(Refused.with(ServiceCode.AUTHENTICATION_FAILED, call).reason())
                .contains(reason);
    }

    @Test
    void everyFieldOfATableIsSigned() {
        table("st", "2024-04-30", "sip", "168.1.5.60-168.1.5.70", "spr", "https,http")
                .with("spk", "a b", "srk", "é", "epk", "z", "erk", "+/=");
        assertThat(ofTable()).isEqualTo(new Grant.OfTable("orders", "r", new KeySpan("a b", "é", "z", "+/=")));
        String signature = f("sig");
        for (String name :
                List.of("sp", "st", "se", "tn", "sip", "spr", "sv", "spk", "srk", "epk", "erk", "si", "sig")) {
            String before = f(name);
            with(name, name.equals("sp") ? "ra" : name.equals("sv") ? "2019-02-03" : "x" + before);
            failed(() -> judged(query()), "");
            with(name, before, "sig", signature);
        }
        assertThat(tried).isNotEmpty().allMatch(text -> !text.contains(signature));
    }

    /** The versions before did not sign where requests come from, and those before 2015-02-21 did not name the service. */
    @ParameterizedTest
    @CsvSource({"2015-02-21, /table/", "2014-02-14, /", "2013-08-15, /", "2012-02-12, /"})
    void oldVersionsSignLess(String version, String service) {
        table("sv", version, "spk", "a");
        String text = "r\n\n2024-05-01T09:00:00Z\n" + service + "devstoreaccount1/orders\n\n" + version + "\na\n\n\n";
        assertThat(signed(text)).isEqualTo(new Grant.OfTable("orders", "r", new KeySpan("a", null, null, null)));
        with("spr", "https");
        failed(() -> signed(text), "not signed");
    }

    @ParameterizedTest
    @ValueSource(strings = {"2011-08-18", "2012-02-11", "", "latest", "2019-2-2", "2019-02-02x"})
    void versionsThatThereAreNoneOfFail(String version) {
        failed(() -> table("sv", version).ofTable(), "sv");
    }

    @Test
    void anyKeyOfTheAccountSigns() {
        table().with("sig", hmac(OTHER_KEY, tableText()));
        assertThat(judged(query())).isInstanceOf(Grant.OfTable.class);
        with("sig", hmac("d3Jvbmc=", tableText()));
        failed(() -> judged(query()), "none of the account's keys");
        assertThat(tried).containsExactly(tableText());
        with("sig", "***");
        failed(() -> judged(query()), "base64");
    }

    @ParameterizedTest
    @CsvSource({
        "2024-05-01, 2024-05-02, ",
        "2024-05-01T08:15Z, 2024-05-02, ",
        "2024-05-01T08:15:00.0000001Z, 2024-05-02, not valid yet",
        ", 2024-05-01T08:00:00.0000001Z, ",
        ", 2024-05-01T08:00:00Z, expired",
        ", 2024-04-30, expired",
        ", tomorrow, se is not a date and time",
        "now, 2024-05-02, st is not a date and time",
        "2024-04-30, , must be given"
    })
    void aSignatureIsInForceFromItsStartToItsExpiry(
            @Nullable String start, @Nullable String expiry, @Nullable String reason) {
        table("se", expiry == null ? "" : expiry, "st", start == null ? "" : start);
        if (reason == null) {
            assertThat(ofTable()).isInstanceOf(Grant.OfTable.class);
            assertThat(account("se", f("se")).withoutTable().ofAccount()).isInstanceOf(Grant.OfAccount.class);
        } else {
            failed(this::ofTable, reason);
            failed(() -> account("se", f("se")).withoutTable().ofAccount(), reason);
        }
    }

    private SasTest withoutTable() {
        fields.remove("tn");
        return this;
    }

    @ParameterizedTest
    @CsvSource({
        "168.1.5.65, 168.1.5.65, true",
        "168.1.5.65, 168.1.5.66, false",
        "168.1.5.60-168.1.5.70, 168.1.5.60, true",
        "168.1.5.60-168.1.5.70, 168.1.5.70, true",
        "168.1.5.60-168.1.5.70, 168.1.5.71, false",
        "9.0.0.0-100.0.0.0, 50.1.1.1, true",
        "168.1.5.65, 0:0:0:0:0:0:0:1, false",
        "168.1.5.65, '', false"
    })
    void requestsComeFromTheAddressesThatSipNames(String sip, String from, boolean taken) {
        client = from;
        table("sip", sip);
        if (taken) {
            assertThat(ofTable()).isInstanceOf(Grant.OfTable.class);
        } else {
            Refused.with(ServiceCode.AUTHORIZATION_SOURCE_IP_MISMATCH, this::ofTable);
            Refused.with(
                    ServiceCode.AUTHORIZATION_SOURCE_IP_MISMATCH,
                    () -> account("sip", sip).withoutTable().ofAccount());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"168.1.5", "168.1.5.256", "168.1.5.1-", "168.1.5.9-168.1.5.1", "::1", "a.b.c.d", "1.2.3.4.5"})
    void addressesThatAreNoneFail(String sip) {
        failed(() -> table("sip", sip).ofTable(), "sip");
    }

    @Test
    void httpAloneIsNoProtocol() {
        failed(() -> table("spr", "http").ofTable(), "spr");
    }

    /** Who cannot sign learns nothing from what the fields would be refused for. */
    @Test
    void theSignatureIsJudgedFirst() {
        table("spr", "https", "se", "2000-01-01", "sig", "AAAA");
        secure = false;
        failed(() -> judged(query()), "none of the account's keys");
    }

    @Test
    void rowKeysNeedTheirPartitionKeys() {
        failed(() -> table("srk", "r").ofTable(), "srk needs spk");
        failed(() -> table("srk", "", "erk", "r").ofTable(), "erk needs epk");
        assertThat(table("epk", "").ofTable())
                .isEqualTo(new Grant.OfTable("orders", "r", new KeySpan(null, null, "", "r")));
        failed(() -> table("epk", "a\0", "erk", "").ofTable(), "epk is no key");
    }

    @ParameterizedTest
    @ValueSource(strings = {"rw", "R", "x", ""})
    void permissionsOfATableAreLettersOfRaud(String sp) {
        failed(() -> table("sp", sp).ofTable(), "sp");
    }

    @Test
    void aPolicyGivesWhatTheSignatureLeavesOut() {
        table("sp", "", "se", "", "si", "readers");
        Grant.ByPolicy referring = (Grant.ByPolicy) ofTable();
        AccessPolicy other = new AccessPolicy("Readers", null, ticks("2030-01-01T00:00:00Z"), "raud");
        AccessPolicy readers = new AccessPolicy("readers", NOW - Ticks.PER_SECOND, NOW + Ticks.PER_SECOND, "ra");

        assertThat(referring.under(List.of(other, readers), NOW))
                .isEqualTo(new Grant.OfTable("orders", "ra", KeySpan.ALL));
        failed(() -> referring.under(List.of(readers), NOW + Ticks.PER_SECOND), "expired");
        failed(() -> referring.under(List.of(readers), NOW - 902 * Ticks.PER_SECOND), "not valid yet");
        failed(() -> referring.under(List.of(other), NOW), "no stored access policy");
        failed(() -> referring.under(List.of(), NOW), "no stored access policy");
        failed(() -> referring.under(List.of(new AccessPolicy("readers", null, null, "r")), NOW), "se and sp");
    }

    @ParameterizedTest
    @CsvSource({"sp, r", "se, 2024-05-02", "st, 2024-04-30"})
    void aFieldIsNotGivenTwice(String name, String value) {
        table("sp", "", "se", "", "si", "p").with(name, value);
        AccessPolicy whole = new AccessPolicy("p", NOW, NOW + 1, "r");
        Grant.ByPolicy referring = (Grant.ByPolicy) ofTable();
        failed(() -> referring.under(List.of(whole), NOW), "in the signature and in its stored access policy");
    }

    @Test
    void anAccountsSignatureHasItsServicesTypesAndPermissions() {
        assertThat(account("sp", "rwdlacup", "ss", "bqtf", "srt", "co").ofAccount())
                .isEqualTo(new Grant.OfAccount("rwdlacup", "co"));
        Refused.with(
                ServiceCode.AUTHORIZATION_SERVICE_MISMATCH,
                () -> account("ss", "bqf").ofAccount());
        failed(() -> account("ss", "t", "srt", "x").ofAccount(), "srt");
        failed(() -> account("srt", "").ofAccount(), "srt");
        failed(() -> account("srt", "o", "sv", "2015-02-21").ofAccount(), "2015-04-05");
    }

    @Test
    void everyFieldOfAnAccountIsSigned() {
        account("st", "2024-04-30", "sip", "168.1.5.65", "spr", "https");
        assertThat(ofAccount()).isInstanceOf(Grant.OfAccount.class);
        for (String name : List.of("sp", "ss", "srt", "st", "se", "sip", "spr", "sv")) {
            String before = f(name);
            with(name, name.equals("sv") ? "2019-02-03" : before + "x");
            failed(() -> judged(query()), "none of the account's keys");
            with(name, before);
        }
    }

    @Test
    void newVersionsMayLeaveTheEncryptionScopeOut() {
        account("sv", "2020-12-06");
        assertThat(ofAccount()).isInstanceOf(Grant.OfAccount.class);
        assertThat(signed(accountText() + "\n")).isInstanceOf(Grant.OfAccount.class);
        with("ses", "scope");
        assertThat(signed(accountText() + "scope\n")).isInstanceOf(Grant.OfAccount.class);
        failed(() -> signed(accountText() + "other\n"), "none of the account's keys");
        failed(() -> account("sv", "2019-02-02").signed(accountText() + "scope\n"), "none of the account's keys");
    }

    @Test
    void aSignatureIsOfATableOrOfAnAccount() {
        failed(() -> judged("sv=2019-02-02&sig=AAAA"), "of a table, with tn, or of an account");
        failed(() -> table("ss", "t").ofTable(), "of a table, with tn, or of an account");
    }

    @Test
    void aFieldThatStandsTwiceIsRefused() {
        table().ofTable();
        String once = query();
        for (String name : List.of("sp", "se", "sig", "sv", "tn", "st")) {
            Refused.with(
                    ServiceCode.INVALID_QUERY_PARAMETER_VALUE, () -> judged(once + "&" + name + "=a&" + name + "=b"));
        }
    }

    @net.jqwik.api.Property(tries = 500)
    void anyFieldsAreRefusedAndNothingWorse(@ForAll String a, @ForAll String b, @ForAll boolean ofTable) {
        SasTest test = new SasTest();
        Map<String, String> base = (ofTable ? test.table() : test.account()).fields;
        for (String name : List.copyOf(base.keySet())) {
            for (String more : List.of("spk", "srk", "epk", "erk", "sip", "spr", "st", "si", "ses")) {
                SasTest one = new SasTest();
                one.fields.putAll(base);
                one.with(name, a, more, b);
                Throwable thrown = catchThrowable(ofTable ? one::ofTable : one::ofAccount);
                assertThat(thrown == null || thrown instanceof ServiceError)
                        .as("%s", thrown)
                        .isTrue();
            }
        }
    }
}
