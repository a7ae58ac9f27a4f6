package cleave.frontend.core;

import cleave.frontend.protocol.auth.Accounts;
import cleave.frontend.protocol.odata.Headers;
import cleave.model.Ticks;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** The header fields of a test's request, signed with Shared Key Lite as the SDKs do. Confined to the test's thread. */
public final class SignedHeaders implements Headers {
    private static final DateTimeFormatter RFC1123 = DateTimeFormatter.ofPattern(
                    "EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    private final Map<String, List<String>> fields = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);

    public SignedHeaders with(String name, String value) {
        fields.computeIfAbsent(name, any -> new ArrayList<>()).add(value);
        return this;
    }

    /** Signs a request of the development account; of its query only {@code comp} is signed. */
    public SignedHeaders signed(String target, long nowTicks) {
        int comp = Math.max(target.indexOf("?comp="), target.indexOf("&comp="));
        int question = target.indexOf('?');
        String rawPath = (question < 0 ? target : target.substring(0, question))
                + (comp < 0 ? "" : "?" + target.substring(comp + 1));
        String date = RFC1123.format(Ticks.toInstant(nowTicks));
        with("x-ms-date", date);
        String signature = signature(date + "\n/" + Accounts.DEVELOPMENT_ACCOUNT + rawPath);
        return with("Authorization", "SharedKeyLite " + Accounts.DEVELOPMENT_ACCOUNT + ":" + signature);
    }

    private static String signature(String text) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(Base64.getDecoder().decode(Accounts.DEVELOPMENT_KEY), "HmacSHA256"));
            return Base64.getEncoder().encodeToString(mac.doFinal(text.getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException impossible) {
            throw new AssertionError(impossible);
        }
    }

    @Override
    public List<String> all(String name) {
        return fields.getOrDefault(name, List.of());
    }

    /** As lines of a request. */
    public String lines() {
        StringBuilder text = new StringBuilder();
        fields.forEach((name, values) -> values.forEach(
                value -> text.append(name).append(": ").append(value).append("\r\n")));
        return text.toString();
    }
}
