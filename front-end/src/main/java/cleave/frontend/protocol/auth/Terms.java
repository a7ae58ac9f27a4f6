package cleave.frontend.protocol.auth;

import cleave.frontend.protocol.odata.DateTimeText;
import cleave.frontend.protocol.odata.QueryString;
import org.jspecify.annotations.Nullable;

/**
 * The validity and permissions of a shared access signature. Immutable. Each field comes from the signature or from a stored policy,
 * not from both.
 *
 * @param start in ticks; null: absent
 * @param expiry in ticks; null: absent
 * @param permissions letters; null: absent
 */
record Terms(
        @Nullable Long start,
        @Nullable Long expiry,
        @Nullable String permissions) {

    static Terms of(QueryString query) {
        return new Terms(ticks(query, "st"), ticks(query, "se"), SasFields.given(query, "sp"));
    }

    private static @Nullable Long ticks(QueryString query, String name) {
        String text = SasFields.given(query, name);
        Long ticks = text == null ? null : DateTimeText.parse(text);
        if (text != null && ticks == null) {
            throw AuthenticationError.failed(name + " is not a date and time");
        }
        return ticks;
    }

    /** These terms combined with those of a stored policy. */
    Terms with(Terms stored) {
        if ((start != null && stored.start != null)
                || (expiry != null && stored.expiry != null)
                || (permissions != null && stored.permissions != null)) {
            throw AuthenticationError.failed("a field is given in the signature and in its stored access policy");
        }
        return new Terms(
                start == null ? stored.start : start,
                expiry == null ? stored.expiry : expiry,
                permissions == null ? stored.permissions : permissions);
    }

    /**
     * The permissions, if these terms are complete and in force now. The start allows for clock skew of the issuer;
     * the expiry is exact.
     */
    String inForce(long nowTicks) {
        if (expiry == null || permissions == null) {
            throw AuthenticationError.failed(
                    "se and sp must be given, in the signature or in its stored access policy");
        }
        if (nowTicks >= expiry) {
            throw AuthenticationError.failed("the signature has expired");
        }
        if (start != null && start - nowTicks > Authenticator.SKEW_TICKS_MAX) {
            throw AuthenticationError.failed("the signature is not valid yet");
        }
        return permissions;
    }
}
