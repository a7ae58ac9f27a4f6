package cleave.frontend.protocol.auth;

import java.util.List;
import java.util.Set;

/**
 * Which tokens count, and what their roles give leave for. Immutable.
 *
 * @param issuers exactly as tokens name them
 * @param audiences that count for every account, without a slash at the end
 * @param hostSuffixes with an account's name before one of them, its host is an audience, too
 * @param accountClaim the claim that names the accounts that a token is for, as a text or an array of texts
 * @param readerRoles who has one of these may read entities and list tables
 * @param contributorRoles who has one of these may also write entities, and create and delete tables
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

    /** What these roles permit; nothing if none of them is known. */
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
