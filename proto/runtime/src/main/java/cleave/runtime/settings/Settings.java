package cleave.runtime.settings;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Key-value settings that are consumed once by a role's {@code XConfig}. Confined to the thread that starts the role.
 *
 * <p>Each read names its key and default; {@link #refuseUnknown} then stops the start if an unknown key is set.
 * Durations are written {@code 200ms}, {@code 2s}, {@code 10m}; sizes {@code 64KiB}, {@code 16MiB}, {@code 1GiB};
 * shares {@code 25%}.
 */
public final class Settings {
    /** Long enough to mean no limit, and short enough that sums do not overflow. */
    private static final long HOURS_MAX = 10_000;

    private static final long HOUR_NANOS = 3_600_000_000_000L;

    private static final Pattern QUANTITY = Pattern.compile("(\\d+)\\s*([A-Za-z]*)");

    private static final Pattern PERCENT = Pattern.compile("(\\d{1,3})\\s*%");

    private final Map<String, String> given;
    private final Set<String> known = new TreeSet<>();

    public Settings(Map<String, String> given) {
        this.given = new TreeMap<>(given);
    }

    /** An invalid setting: the message names it, its value, and legal values. */
    public static final class BadSetting extends IllegalArgumentException {
        private static final long serialVersionUID = 1;

        public BadSetting(String message) {
            super(message);
        }
    }

    public String text(String key, String byDefault) {
        known.add(key);
        return given.getOrDefault(key, byDefault);
    }

    /** A required text. */
    public String text(String key) {
        String value = text(key, "");
        if (value.isEmpty()) {
            throw new BadSetting("setting " + key + " is missing; set it in the file or with --set " + key + "=...");
        }
        return value;
    }

    /** The path of a file or folder. */
    public Path path(String key, String byDefault) {
        return path(key, () -> text(key, byDefault));
    }

    /** The same, required. */
    public Path path(String key) {
        return path(key, () -> text(key));
    }

    private static Path path(String key, Supplier<String> text) {
        String value = text.get();
        try {
            return Path.of(value);
        } catch (InvalidPathException impossible) {
            throw wrong(key, value, "the path of a file or folder: " + impossible.getReason());
        }
    }

    /** Comma-separated; empty items are dropped. */
    public List<String> list(String key, String byDefault) {
        List<String> items = new ArrayList<>();
        for (String item : text(key, byDefault).split(",")) {
            if (!item.isBlank()) {
                items.add(item.trim());
            }
        }
        return List.copyOf(items);
    }

    public boolean flag(String key, boolean byDefault) {
        String value = text(key, Boolean.toString(byDefault));
        if (!value.equals("true") && !value.equals("false")) {
            throw wrong(key, value, "true or false");
        }
        return value.equals("true");
    }

    public int count(String key, int byDefault, int min, int max) {
        String value = text(key, Integer.toString(byDefault));
        try {
            int count = Integer.parseInt(value.trim());
            if (count >= min && count <= max) {
                return count;
            }
        } catch (NumberFormatException notANumber) {
            // Answered below, together with one out of bounds.
        }
        throw wrong(key, value, "a whole number from " + min + " to " + max);
    }

    public long nanos(String key, String byDefault) {
        Map<String, Long> units = Map.of(
                "ns", 1L, "us", 1_000L, "ms", 1_000_000L, "s", 1_000_000_000L, "m", 60_000_000_000L, "h", HOUR_NANOS);
        String right = "a duration such as 200ms, 2s or 10m, at most " + HOURS_MAX + "h";
        return quantity(key, byDefault, units, HOURS_MAX * HOUR_NANOS, right);
    }

    public long bytes(String key, String byDefault) {
        return quantity(
                key,
                byDefault,
                Map.of("", 1L, "b", 1L, "kib", 1L << 10, "mib", 1L << 20, "gib", 1L << 30),
                Long.MAX_VALUE,
                "a size such as 64KiB, 16MiB or 1GiB");
    }

    /** The same, or a share of something, written as whole per cent. */
    public long bytesOf(long whole, String key, String byDefault) {
        return text(key, byDefault).trim().endsWith("%")
                ? (long) (share(key, byDefault) * whole)
                : bytes(key, byDefault);
    }

    private long quantity(String key, String byDefault, Map<String, Long> units, long most, String right) {
        String value = text(key, byDefault);
        Matcher matcher = QUANTITY.matcher(value.trim());
        Long unit = matcher.matches() ? units.get(matcher.group(2).toLowerCase(Locale.ROOT)) : null;
        try {
            if (value.trim().equals("0")) {
                return 0;
            }
            long given = unit == null ? Long.MAX_VALUE : Math.multiplyExact(Long.parseLong(matcher.group(1)), unit);
            if (unit != null && given <= most) {
                return given;
            }
        } catch (ArithmeticException | NumberFormatException tooLarge) {
            // Answered below.
        }
        throw wrong(key, value, right);
    }

    /** A share, written as whole per cent ({@code 25%}), as a number from 0 to 1. */
    public double share(String key, String byDefault) {
        String value = text(key, byDefault).trim();
        Matcher matcher = PERCENT.matcher(value);
        int percent = matcher.matches() ? Integer.parseInt(matcher.group(1)) : 101;
        if (percent > 100) {
            throw wrong(key, value, "a share from 0% to 100%, such as 25%");
        }
        return percent / 100.0;
    }

    private static BadSetting wrong(String key, String value, String right) {
        return new BadSetting("setting " + key + " is '" + value + "' but must be " + right);
    }

    /** Refuses unknown keys. Call it after all settings were read. */
    public void refuseUnknown() {
        Set<String> unknown = new TreeSet<>(given.keySet());
        unknown.removeAll(known);
        if (!unknown.isEmpty()) {
            throw new BadSetting("unknown setting " + String.join(", ", unknown) + "; " + instead(unknown));
        }
    }

    /** The known settings that may have been meant, and those with the same first part as the unknown ones. */
    private String instead(Set<String> unknown) {
        Set<String> meant = new TreeSet<>();
        Set<String> alike = new TreeSet<>();
        for (String key : unknown) {
            NearestName.of(key, known).ifPresent(meant::add);
            String prefix = key.substring(0, key.indexOf('.') + 1);
            known.stream()
                    .filter(name -> !prefix.isEmpty() && name.startsWith(prefix))
                    .forEach(alike::add);
        }
        return (meant.isEmpty() ? "" : "did you mean " + String.join(", ", meant) + "? ") + "known are "
                + String.join(", ", alike.isEmpty() ? known : alike);
    }

    /** The keys that were read so far, sorted: for help texts and golden tests. */
    public Set<String> known() {
        return new TreeSet<>(known);
    }
}
