package cleave.frontend.settings;

import cleave.frontend.protocol.auth.TokenRules;
import cleave.runtime.settings.Settings;
import cleave.runtime.settings.Settings.BadSetting;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Which bearer tokens count. Immutable.
 *
 * @param keys where the keys of the issuers are: a URL or a file; empty: tokens do not count
 * @param authorizationUri where clients without credentials are told to get a token
 */
public record TokenSettings(TokenRules rules, String keys, String authorizationUri) {
    private static final String ENTRA = "https://login.microsoftonline.com/";
    private static final Pattern ENTRA_ISSUER =
            Pattern.compile("https://(?:sts\\.windows\\.net|login\\.microsoftonline\\.com)/([^/]+)(?:/.*)?");
    private static final Pattern LOCAL = Pattern.compile("http://(localhost|127\\.0\\.0\\.1|\\[::1])[:/].*");
    private static final Pattern URI = Pattern.compile("https?://[!#-+\\--~]+");

    public TokenSettings {
        if (rules.issuers().isEmpty() != keys.isEmpty()) {
            throw new BadSetting("front-end.token-issuers and front-end.token-keys must be set together");
        }
        if (keys.startsWith("http://") && !LOCAL.matcher(keys).matches()) {
            throw new BadSetting(
                    "setting front-end.token-keys is '" + keys
                            + "' but must be a file or an https:// URL: anyone who can alter the keys in transit can forge tokens");
        }
        if (!URI.matcher(authorizationUri).matches()) {
            throw new BadSetting("setting front-end.token-authorization-uri is '" + authorizationUri
                    + "' but must be a URL without blanks, quotes or commas");
        }
    }

    static TokenSettings from(Settings settings, List<String> hostSuffixes) {
        List<String> issuers = settings.list("front-end.token-issuers", "");
        TokenRules rules = new TokenRules(
                Set.copyOf(issuers),
                settings
                        .list(
                                "front-end.token-audiences",
                                "https://storage.azure.com, e406a681-f3d4-42a8-90b6-c2b029497af1")
                        .stream()
                        .map(audience ->
                                audience.endsWith("/") ? audience.substring(0, audience.length() - 1) : audience)
                        .collect(Collectors.toSet()),
                hostSuffixes,
                settings.text("front-end.token-account-claim", "cleave_account"),
                Set.copyOf(settings.list("front-end.token-reader-roles", "Storage Table Data Reader")),
                Set.copyOf(settings.list("front-end.token-contributor-roles", "Storage Table Data Contributor")));
        return new TokenSettings(
                rules,
                settings.text("front-end.token-keys", ""),
                settings.text("front-end.token-authorization-uri", authorizationUri(issuers)));
    }

    /** That of the first issuer; of any tenant of Entra's, where none is known: clients fail on a challenge without one. */
    private static String authorizationUri(List<String> issuers) {
        String issuer = issuers.isEmpty() ? ENTRA + "common" : issuers.get(0);
        Matcher entra = ENTRA_ISSUER.matcher(issuer);
        String base = entra.matches() ? ENTRA + entra.group(1) : issuer;
        return (base.endsWith("/") ? base.substring(0, base.length() - 1) : base) + "/oauth2/authorize";
    }

    /** True if tokens count at all. */
    public boolean isOn() {
        return !keys.isEmpty();
    }
}
