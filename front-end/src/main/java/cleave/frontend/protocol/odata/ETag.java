package cleave.frontend.protocol.odata;

import cleave.model.Ticks;

/**
 * The ETag of an entity: its Timestamp in a weak tag. A tag from a client is compared as a whole, after two repairs: {@code :} becomes
 * {@code %3A}, and a missing last quote is added, because one client loses it.
 */
public final class ETag {
    private static final String PREFIX = "W/\"datetime'";
    private static final String SUFFIX = "'\"";

    private ETag() {}

    /** {@code W/"datetime'2017-11-10T02%3A44%3A47.6221962Z'"}. */
    public static String format(long ticks) {
        return Ticks.append(new StringBuilder(52).append(PREFIX), ticks, "%3A")
                .append(SUFFIX)
                .toString();
    }

    /** The timestamp of a weak tag; {@link IfMatch#NEVER} if no entity can have that tag. Refuses any other text. */
    static long ticks(String tag) {
        String repaired = repaired(tag);
        if (!repaired.startsWith(PREFIX) || !repaired.endsWith(SUFFIX)) {
            return IfMatch.NEVER;
        }
        int end = repaired.length() - SUFFIX.length();
        if (end < PREFIX.length()) {
            return IfMatch.NEVER;
        }
        Long ticks = DateTimeText.parse(repaired.substring(PREFIX.length(), end).replace("%3A", ":"));
        return ticks != null && format(ticks).equals(repaired) ? ticks : IfMatch.NEVER;
    }

    private static String repaired(String tag) {
        boolean isWeak = tag.length() > 3
                && (tag.charAt(0) == 'W' || tag.charAt(0) == 'w')
                && tag.charAt(1) == '/'
                && tag.charAt(2) == '"';
        String whole = tag.endsWith("\"") && tag.length() > 3 ? tag : tag + "\"";
        if (!isWeak || whole.indexOf('"', 3) != whole.length() - 1) {
            throw ServiceError.of(
                    ServiceCode.INVALID_INPUT,
                    "The etag value '" + Text.withoutLoneSurrogates(tag)
                            + "' specified in one of the request headers is not valid. Please make sure only one etag value"
                            + " is specified and is valid.");
        }
        return whole.replace(":", "%3A");
    }
}
