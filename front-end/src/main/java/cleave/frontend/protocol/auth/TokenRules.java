package cleave.frontend.protocol.auth;

import java.util.List;
import java.util.Set;

/**
 * The bearer tokens that are accepted, and what their roles permit. Immutable.
 *
 * @param issuers exactly as tokens name them
 * @param audiences accepted for all accounts, without a trailing slash
 * @param hostSuffixes the host of an account (its name before one of these) is an audience, too
 * @param accountClaim the claim that names the accounts that a token is for, as a text or an array of texts
 * @param readerRoles roles that may read entities and list tables
 * @param contributorRoles roles that may also write entities, and create and delete tables
 */
public record TokenRules(
        Set<String> issuers,
        Set<String> audiences,
        List<String> hostSuffixes,
        String accountClaim,
        Set<String> readerRoles,
        Set<String> contributorRoles) {
    private static final Set<Right> READER = Set.of(Right.QUERY, Right.LIST_TABLES);
    private static final Set<Right> CONTRIBUTOR = Set.of(
            Right.QUERY,
            Right.INSERT,
            Right.UPDATE,
            Right.UPSERT,
            Right.DELETE,
            Right.LIST_TABLES,
            Right.CREATE_TABLE,
            Right.DELETE_TABLE);

    public TokenRules {
        issuers = Set.copyOf(issuers);
        audiences = Set.copyOf(audiences);
        hostSuffixes = List.copyOf(hostSuffixes);
        readerRoles = Set.copyOf(readerRoles);
        contributorRoles = Set.copyOf(contributorRoles);
    }

    /** The permissions of these roles; unknown roles permit nothing. */
    Grant grant(List<String> roles) {
        if (contributorRoles.stream().anyMatch(roles::contains)) {
            return new Grant.OfRoles(CONTRIBUTOR);
        }
        return new Grant.OfRoles(readerRoles.stream().anyMatch(roles::contains) ? READER : Set.of());
    }

    /** True if a token for this audience is one for the service as a whole. */
    boolean isForService(String audience) {
        return audiences.contains(plain(audience));
    }

    /** True if a token for this audience is one for the account alone. */
    boolean isForAccount(String audience, String account) {
        String plain = plain(audience);
        return hostSuffixes.stream().anyMatch(suffix -> plain.equals("https://" + account + "." + suffix));
    }

    private static String plain(String audience) {
        return audience.endsWith("/") ? audience.substring(0, audience.length() - 1) : audience;
    }
}
