package cleave.frontend.core;

import cleave.client.Request;
import cleave.client.SharedKey;
import cleave.frontend.protocol.auth.Accounts;
import cleave.frontend.protocol.odata.Headers;
import cleave.model.Ticks;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The header fields of a test's request, signed with Shared Key Lite as the SDKs do. Confined to the test's thread. */
public final class SignedHeaders implements Headers {
    /** The key of the development account. */
    static final SharedKey KEY = new SharedKey(Accounts.DEVELOPMENT_ACCOUNT, Accounts.DEVELOPMENT_KEY);

    private final Map<String, List<String>> fields = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);

    public SignedHeaders with(String name, String value) {
        fields.computeIfAbsent(name, any -> new ArrayList<>()).add(value);
        return this;
    }

    /** Signs a request of the development account; of its query only {@code comp} is signed. */
    public SignedHeaders signed(String target, long nowTicks) {
        int comp = Math.max(target.indexOf("?comp="), target.indexOf("&comp="));
        int question = target.indexOf('?');
        String path = question < 0 ? target : target.substring(0, question);
        String date = Request.date(Ticks.toInstant(nowTicks));
        with("x-ms-date", date);
        return with("Authorization", KEY.lite(date, path, comp < 0 ? "" : target.substring(comp + "?comp=".length())));
    }

    @Override
    public List<String> all(String name) {
        return fields.getOrDefault(name, List.of());
    }

    /** The lines of a request's head. */
    public String lines() {
        StringBuilder text = new StringBuilder();
        fields.forEach((name, values) -> values.forEach(
                value -> text.append(name).append(": ").append(value).append("\r\n")));
        return text.toString();
    }
}
