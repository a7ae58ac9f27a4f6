package cleave.deploy.play;

import java.util.Arrays;
import java.util.Optional;

/** What a load asks for. Rates are of all clients together. */
enum LoadShape {
    UNIFORM("uniform", 400, "reads and writes, evenly over all partitions"),
    HOT_PARTITION("hot-partition", 900, "two fifths of all reads and writes in one partition"),
    APPEND("append", 400, "inserts behind the last key, as with times"),
    SCAN("scan", 30, "scans that look at twelve entities for each one that they return");

    private final String word;
    private final int perSecond;
    private final String text;

    LoadShape(String word, int perSecond, String text) {
        this.word = word;
        this.perSecond = perSecond;
        this.text = text;
    }

    static Optional<LoadShape> of(String word) {
        return Arrays.stream(values()).filter(each -> each.word.equals(word)).findFirst();
    }

    String word() {
        return word;
    }

    /** Requests a second. */
    int perSecond() {
        return perSecond;
    }

    /** For people. */
    String text() {
        return text;
    }
}
