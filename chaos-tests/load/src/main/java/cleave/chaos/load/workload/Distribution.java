package cleave.chaos.load.workload;

import java.util.Locale;

/** Which of the existing items an operation takes. */
public enum Distribution {
    /** Each with the same probability. */
    UNIFORM,
    /** Some are far more popular than others, and lie anywhere: YCSB's scrambled zipfian. */
    ZIPFIAN,
    /** The last inserted ones are the most popular: YCSB's latest. */
    LATEST,
    /** One partition gets a share of everything, inserts too; the others get the rest evenly. */
    HOT;

    /** The name in files. */
    public String id() {
        return name().toLowerCase(Locale.ROOT);
    }
}
