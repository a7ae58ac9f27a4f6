package cleave.board.history;

import java.util.Optional;
import java.util.stream.Stream;

/** How the key space is divided into the rows of a map. */
public enum Rows {
    /** Neighbours with little load are joined until rows have about the mean load. */
    EQUAL_LOAD("equal-load"),
    /** A row for each part of the key space that was told apart, as far as there is room. */
    EQUAL_PARTITIONS("equal-partitions"),
    /** As equal partitions, with a height for each row by the distance of its keys. */
    WIDTH("width");

    private final String word;

    Rows(String word) {
        this.word = word;
    }

    public static Optional<Rows> of(String word) {
        return Stream.of(values()).filter(rows -> rows.word.equals(word)).findFirst();
    }
}
