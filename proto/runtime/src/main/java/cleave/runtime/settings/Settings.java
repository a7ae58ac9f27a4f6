package cleave.runtime.settings;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

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

    private static final Pattern FRACTION = Pattern.compile("(\\d{1,3}(?:\\.\\d{1,3})?)\\s*%");

    private final Map<String, String> given;
    private final SortedMap<String, Known> known = new TreeMap<>();

    /**
     * A setting that was read.
     *
     * @param byDefault empty if it is not set; null if it must be
     * @param values the legal ones, in a few words
     */
    public record Known(@Nullable String byDefault, String values) {}

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
        return read(key, new Known(byDefault, "text"), byDefault);
    }

    /** A required text. */
    public String text(String key) {
        return read(key, new Known(null, "text"));
    }

    /** The value of a key that may be absent. A key that is read twice is known as it was read first. */
    private String read(String key, Known as, String byDefault) {
        known.putIfAbsent(key, as);
        return given.getOrDefault(key, byDefault);
    }

    private String read(String key, Known required) {
        String value = read(key, required, "");
        if (value.isEmpty()) {
            throw new BadSetting("setting " + key + " is missing; set it in the file or with --set " + key + "=...");
        }
        return value;
    }

    /** The path of a file or folder. */
    public Path path(String key, String byDefault) {
        return parsed(key, read(key, new Known(byDefault, "path"), byDefault));
    }

    /** The same, required. */
    public Path path(String key) {
        return parsed(key, read(key, new Known(null, "path")));
    }

    private static Path parsed(String key, String value) {
        try {
            return Path.of(value);
        } catch (InvalidPathException impossible) {
            throw wrong(key, value, "the path of a file or folder: " + impossible.getReason());
        }
    }

    /** Comma-separated; empty items are dropped. */
    public List<String> list(String key, String byDefault) {
        List<String> items = new ArrayList<>();
        for (String item : read(key, new Known(byDefault, "list"), byDefault).split(",")) {
            if (!item.isBlank()) {
                items.add(item.trim());
            }
        }
        return List.copyOf(items);
    }

    public boolean flag(String key, boolean byDefault) {
        String text = Boolean.toString(byDefault);
        String value = read(key, new Known(text, "true or false"), text);
        if (!value.equals("true") && !value.equals("false")) {
            throw wrong(key, value, "true or false");
        }
        return value.equals("true");
    }

    public int count(String key, int byDefault, int min, int max) {
        String text = Integer.toString(byDefault);
        String value = read(key, new Known(text, min + " to " + max), text);
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
        String value = read(key, new Known(byDefault, "duration"), byDefault);
        return quantity(key, value, units, HOURS_MAX * HOUR_NANOS, right);
    }

    public long bytes(String key, String byDefault) {
        return quantity(
                key,
                read(key, new Known(byDefault, "size"), byDefault),
                Map.of("", 1L, "b", 1L, "kib", 1L << 10, "mib", 1L << 20, "gib", 1L << 30),
                Long.MAX_VALUE,
                "a size such as 64KiB, 16MiB or 1GiB");
    }

    /** The same, or a share of something, written as whole per cent. */
    public long bytesOf(long whole, String key, String byDefault) {
        String value = read(key, new Known(byDefault, "size or share"), byDefault);
        return value.trim().endsWith("%") ? (long) (share(key, byDefault) * whole) : bytes(key, byDefault);
    }

    private static long quantity(String key, String value, Map<String, Long> units, long most, String right) {
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
        String value = read(key, new Known(byDefault, "share"), byDefault).trim();
        Matcher matcher = PERCENT.matcher(value);
        int percent = matcher.matches() ? Integer.parseInt(matcher.group(1)) : 101;
        if (percent > 100) {
            throw wrong(key, value, "a share from 0% to 100%, such as 25%");
        }
        return percent / 100.0;
    }

    /** The same with up to three decimals, such as {@code 0.1%}. */
    public double fraction(String key, String byDefault) {
        String value =
                read(key, new Known(byDefault, "share, also 0.1%"), byDefault).trim();
        Matcher matcher = FRACTION.matcher(value);
        double percent = matcher.matches() ? Double.parseDouble(matcher.group(1)) : 101;
        if (percent > 100) {
            throw wrong(key, value, "a share from 0% to 100%, such as 25% or 0.1%");
        }
        return percent / 100;
    }

    private static BadSetting wrong(String key, String value, String right) {
        return new BadSetting("setting " + key + " is '" + value + "' but must be " + right);
    }

    /** Refuses unknown keys. Call it after all settings were read. */
    public void refuseUnknown() {
        Set<String> unknown = new TreeSet<>(given.keySet());
        unknown.removeAll(known.keySet());
        if (!unknown.isEmpty()) {
            throw new BadSetting("unknown setting " + String.join(", ", unknown) + "; " + instead(unknown));
        }
    }

    /** The known settings that may have been meant, and those with the same first part as the unknown ones. */
    private String instead(Set<String> unknown) {
        Set<String> meant = new TreeSet<>();
        Set<String> alike = new TreeSet<>();
        for (String key : unknown) {
            NearestName.of(key, known.keySet()).ifPresent(meant::add);
            String prefix = key.substring(0, key.indexOf('.') + 1);
            known.keySet().stream()
                    .filter(name -> !prefix.isEmpty() && name.startsWith(prefix))
                    .forEach(alike::add);
        }
        return (meant.isEmpty() ? "" : "did you mean " + String.join(", ", meant) + "? ") + "known are "
                + String.join(", ", alike.isEmpty() ? known.keySet() : alike);
    }

    /** The keys that were read so far, sorted. */
    public Set<String> known() {
        return new TreeSet<>(known.keySet());
    }

    /** The values of the settings that were read so far, given or by default, by their sorted keys. A needed one that is missing is not among them. */
    public SortedMap<String, String> inForce() {
        SortedMap<String, String> values = new TreeMap<>();
        known.forEach((key, as) -> {
            String value = given.getOrDefault(key, as.byDefault());
            if (value != null) {
                values.put(key, value);
            }
        });
        return values;
    }

    /** The settings that were read so far, by their sorted keys: for the reference of all settings. */
    public SortedMap<String, Known> described() {
        return new TreeMap<>(known);
    }
}
