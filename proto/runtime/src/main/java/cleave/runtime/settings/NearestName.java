package cleave.runtime.settings;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Finds the name that was meant by a mistyped one. Stateless. */
public final class NearestName {
    /** At most one in this many letters of the mistyped name may be wrong. */
    private static final int LETTERS_PER_ERROR = 3;

    private NearestName() {}

    /** The most similar one; empty if none is similar. Case does not count. */
    public static Optional<String> of(String mistyped, Collection<String> names) {
        return names.stream()
                .min(Comparator.comparingInt((String name) -> distance(mistyped, name))
                        .thenComparing(Comparator.naturalOrder()))
                .filter(name -> distance(mistyped, name) * LETTERS_PER_ERROR <= mistyped.length());
    }

    /** The number of letters that must be put in, taken out, replaced, or swapped with their neighbour. */
    private static int distance(String from, String to) {
        int[][] edits = new int[from.length() + 1][to.length() + 1];
        for (int i = 0; i <= from.length(); i++) {
            for (int j = 0; j <= to.length(); j++) {
                edits[i][j] = Math.min(i, j) == 0 ? Math.max(i, j) : edits(edits, from, i, to, j);
            }
        }
        return edits[from.length()][to.length()];
    }

    private static int edits(int[][] before, String from, int i, String to, int j) {
        int replaced = before[i - 1][j - 1] + (isSame(from, i, to, j) ? 0 : 1);
        int least = Math.min(replaced, 1 + Math.min(before[i - 1][j], before[i][j - 1]));
        boolean isSwapped = i > 1 && j > 1 && isSame(from, i, to, j - 1) && isSame(from, i - 1, to, j);
        return isSwapped ? Math.min(least, 1 + before[i - 2][j - 2]) : least;
    }

    private static boolean isSame(String from, int i, String to, int j) {
        return Character.toLowerCase(from.charAt(i - 1)) == Character.toLowerCase(to.charAt(j - 1));
    }
}
