package cleave.dfs.state;

import java.util.regex.Pattern;

/** Which paths there can be: segments of letters, digits and {@code . - _}, joined by slashes. */
public final class Paths {
    private static final int LENGTH_MAX = 1024;
    private static final Pattern PATH = Pattern.compile("[A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)*");

    private Paths() {}

    public static boolean isWellFormed(String path) {
        return path.length() <= LENGTH_MAX && PATH.matcher(path).matches();
    }

    static void check(String path) {
        if (!isWellFormed(path)) {
            throw new IllegalArgumentException("malformed path '" + path + "'");
        }
    }
}
