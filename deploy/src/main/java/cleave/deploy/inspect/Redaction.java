package cleave.deploy.inspect;

import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** Settings without what must stay secret. Stateless. No setting of Cleave's is a secret, but those of a program beside it may be, and parts of a URI. */
public final class Redaction {
    private static final String HIDDEN = "***";
    private static final Pattern SECRET_NAME = Pattern.compile(".*(password|passwd|passphrase|secret|credential).*");
    private static final Pattern USER_INFO = Pattern.compile("(://)[^/@\\s]+@");
    private static final Pattern SECRET_PART =
            Pattern.compile("(?i)((?:accountkey|sharedaccesssignature|sig|signature|password|token)=)[^;&\\s]+");

    private Redaction() {}

    public static SortedMap<String, String> of(SortedMap<String, String> settings) {
        SortedMap<String, String> shown = new TreeMap<>();
        settings.forEach((name, value) -> shown.put(name, value(name, value)));
        return shown;
    }

    static String value(String name, String value) {
        if (SECRET_NAME.matcher(name.toLowerCase(Locale.ROOT)).matches()) {
            return value.isEmpty() ? "" : HIDDEN;
        }
        return SECRET_PART
                .matcher(USER_INFO.matcher(value).replaceAll("$1" + HIDDEN + "@"))
                .replaceAll("$1" + HIDDEN);
    }
}
