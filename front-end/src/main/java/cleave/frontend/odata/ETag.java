package cleave.frontend.odata;

import cleave.model.Ticks;

/** The ETag of an entity: its Timestamp in a weak tag. */
public final class ETag {
    private ETag() {}

    /** {@code W/"datetime'2017-11-10T02%3A44%3A47.6221962Z'"}. */
    public static String format(long ticks) {
        return "W/\"datetime'" + Ticks.format(ticks).replace(":", "%3A") + "'\"";
    }
}
