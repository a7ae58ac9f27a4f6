package cleave.deploy.play;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/** What checked clients were answered since they began. Thread-safe. */
final class Lamp {
    private static final int FINDINGS_MAX = 10;

    final LongAdder answered = new LongAdder();
    /** Nothing was done, or a read was not answered. */
    final LongAdder refused = new LongAdder();
    /** Writes that took effect or not. */
    final LongAdder unknown = new LongAdder();

    private long lost;
    private long wrong;
    private final List<String> findings = new ArrayList<>();

    /** An immutable copy. The findings are the first lost and wrong answers, as sentences. */
    record Counts(long answered, long refused, long unknown, long lost, long wrong, List<String> findings) {}

    synchronized void found(Knowledge.Verdict verdict, String sentence) {
        if (verdict == Knowledge.Verdict.LOST) {
            lost++;
        } else {
            wrong++;
        }
        if (findings.size() < FINDINGS_MAX) {
            findings.add(sentence);
        }
    }

    synchronized Counts counts() {
        return new Counts(answered.sum(), refused.sum(), unknown.sum(), lost, wrong, List.copyOf(findings));
    }
}
