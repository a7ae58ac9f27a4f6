package cleave.deploy.backup;

import cleave.model.Damaged;
import java.util.Comparator;
import java.util.regex.Pattern;

/**
 * An unchanging part of a DFS file: a whole checkpoint file, or the part of a log that counts. Immutable.
 *
 * @param path in the DFS of the cluster that was backed up
 */
record Piece(String path, long from, long length) implements Comparable<Piece> {
    private static final Comparator<Piece> ORDER =
            Comparator.comparing(Piece::path).thenComparingLong(Piece::from).thenComparingLong(Piece::length);

    /** It becomes a file name, so nothing in it may lead out of the backup's folder. */
    private static final Pattern PATH = Pattern.compile("[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*");

    Piece {
        if (!PATH.matcher(path).matches() || from < 0 || length < 0) {
            throw new Damaged("this is no part of a file: '" + path + "' from " + from + ", " + length + " bytes");
        }
    }

    /** The name of its file in the backup's folder, without the checksum. */
    String name() {
        return path + "@" + from + "+" + length;
    }

    @Override
    public int compareTo(Piece other) {
        return ORDER.compare(this, other);
    }
}
