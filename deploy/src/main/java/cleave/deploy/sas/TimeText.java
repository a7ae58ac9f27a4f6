package cleave.deploy.sas;

import cleave.deploy.CommandFailure;
import cleave.frontend.protocol.odata.DateTimeText;
import cleave.model.Ticks;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Times as options give them, and as people read them. */
final class TimeText {
    private static final Pattern FROM_NOW = Pattern.compile("(\\d{1,6})([smhd])");
    private static final long MINUTE = 60;
    private static final long HOUR = 60 * MINUTE;
    private static final long DAY = 24 * HOUR;

    private TimeText() {}

    /** The ticks of {@code 2026-05-01T08:00:00Z}, {@code 2026-05-01}, or {@code 90m}, {@code 12h}, {@code 7d} from now. */
    static long ticks(String option, String text, long nowTicks) {
        Matcher fromNow = FROM_NOW.matcher(text);
        if (fromNow.matches()) {
            long seconds = Long.parseLong(fromNow.group(1)) * seconds(fromNow.group(2));
            return nowTicks + seconds * Ticks.PER_SECOND;
        }
        Long ticks = DateTimeText.parse(text);
        if (ticks == null) {
            throw CommandFailure.usage(
                    option + " is '" + text
                            + "' but must be a time in UTC such as 2026-05-01T08:00:00Z, a date, or a time from now such as 90m, 12h or 7d");
        }
        return ticks;
    }

    private static long seconds(String unit) {
        return switch (unit) {
            case "s" -> 1;
            case "m" -> MINUTE;
            case "h" -> HOUR;
            default -> DAY;
        };
    }

    /** The time as signatures write it, to the second. */
    static String signed(long ticks) {
        return Ticks.format(Math.floorDiv(ticks, Ticks.PER_SECOND) * Ticks.PER_SECOND);
    }

    /** {@code in 59 minutes}, {@code 3 days ago}. */
    static String distance(long ticks, long nowTicks) {
        long seconds = Math.abs(ticks - nowTicks) / Ticks.PER_SECOND;
        String amount = amount(seconds);
        return ticks > nowTicks ? "in " + amount : amount + " ago";
    }

    private static String amount(long seconds) {
        if (seconds < 2 * MINUTE) {
            return seconds + " seconds";
        }
        if (seconds < 2 * HOUR) {
            return seconds / MINUTE + " minutes";
        }
        return seconds < 2 * DAY ? seconds / HOUR + " hours" : seconds / DAY + " days";
    }
}
