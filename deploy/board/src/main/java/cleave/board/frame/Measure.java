package cleave.board.frame;

import java.util.Optional;
import java.util.stream.Stream;

/** What is measured of each bucket. */
public enum Measure {
    /** Entities a second: written, read and returned by scans. */
    ENTITIES("entities"),
    /** Entities a second. */
    WRITTEN("written"),
    /** Entities a second. */
    READ("read"),
    /** Entities a second that scans looked at. */
    SCANNED("scanned"),
    /** Thousandths of a core. */
    CPU("cpu"),
    /** Bytes that the entities take. */
    BYTES("bytes"),
    /** The mean wait before a request's execution, in microseconds. It is the same for all buckets of a range. */
    QUEUE("queue");

    private final String word;

    Measure(String word) {
        this.word = word;
    }

    /** Its name in frames and queries. */
    public String word() {
        return word;
    }

    /** False for what two buckets joined have no more of than each alone. */
    public boolean isAdditive() {
        return this != QUEUE;
    }

    public static Optional<Measure> of(String word) {
        return Stream.of(values()).filter(measure -> measure.word.equals(word)).findFirst();
    }
}
