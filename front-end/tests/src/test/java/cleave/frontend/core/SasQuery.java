package cleave.frontend.core;

import cleave.frontend.protocol.auth.Accounts;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/** Makes shared access signatures of the development account as queries. Confined to the test's thread. */
final class SasQuery {
    private final Map<String, String> fields = new LinkedHashMap<>();

    private SasQuery() {}

    /** A token for one table; it is in force for long unless that is said otherwise. */
    static SasQuery ofTable(String table) {
        return new SasQuery().with("sv", "2019-02-02").with("tn", table).with("se", "2200-01-01");
    }

    static SasQuery ofAccount(String resourceTypes, String permissions) {
        return new SasQuery()
                .with("sv", "2019-02-02")
                .with("ss", "bqtf")
                .with("srt", resourceTypes)
                .with("sp", permissions)
                .with("se", "2200-01-01");
    }

    SasQuery with(String name, String value) {
        fields.put(name, value);
        return this;
    }

    SasQuery without(String name) {
        fields.remove(name);
        return this;
    }

    String signed() {
        with("sig", SignedHeaders.KEY.signature(text()));
        return fields.entrySet().stream()
                .map(field -> field.getKey() + "=" + URLEncoder.encode(field.getValue(), StandardCharsets.UTF_8))
                .collect(Collectors.joining("&"));
    }

    private String text() {
        if (!fields.containsKey("tn")) {
            return Accounts.DEVELOPMENT_ACCOUNT + "\n" + values("sp", "ss", "srt", "st", "se", "sip", "spr", "sv")
                    + "\n";
        }
        return values("sp", "st", "se") + "\n/table/" + Accounts.DEVELOPMENT_ACCOUNT + "/"
                + fields.get("tn").toLowerCase(java.util.Locale.ROOT) + "\n"
                + values("si", "sip", "spr", "sv", "spk", "srk", "epk", "erk");
    }

    private String values(String... names) {
        return java.util.Arrays.stream(names)
                .map(name -> fields.getOrDefault(name, ""))
                .collect(Collectors.joining("\n"));
    }
}
