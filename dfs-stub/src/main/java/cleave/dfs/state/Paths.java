package cleave.dfs.state;

import java.util.Comparator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The paths that a command may name: segments of letters, digits and {@code . - _}, joined by slashes. Pure. */
public final class Paths {
    private static final int LENGTH_MAX = 1024;
    private static final long EXTENT_BYTES_MAX = 1L << 48;
    private static final Pattern PATH = Pattern.compile("[A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)*");

    private static final Comparator<NumberedName> BY_NUMBER =
            Comparator.comparingLong(NumberedName::incarnation).thenComparingLong(NumberedName::ordinal);

    /**
     * Files of one server in the order in which it made them, and all others before them. A file can be created only before those
     * that its server made later ({@link DeletedPaths}), so whoever makes files again must keep to it.
     */
    public static final Comparator<String> ORDER_OF_CREATION = Comparator.<String, @Nullable NumberedName>comparing(
                    NumberedName::of, Comparator.nullsFirst(BY_NUMBER))
            .thenComparing(Comparator.naturalOrder());

    private Paths() {}

    public static boolean isWellFormed(String path) {
        return path.length() <= LENGTH_MAX && PATH.matcher(path).matches();
    }

    static void check(String path) {
        if (!isWellFormed(path)) {
            throw new IllegalArgumentException("malformed path '" + path + "'");
        }
    }

    static void checkLength(String path, long length) {
        if (length < 0 || length > EXTENT_BYTES_MAX) {
            throw new IllegalArgumentException(path + " cannot have an extent of " + length + " bytes");
        }
    }
}
