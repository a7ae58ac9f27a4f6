package cleave.board.frame;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;

/**
 * What is known of each bucket of an axis. Immutable, if the arrays that it was made of are left alone.
 *
 * <p>A board keeps hundreds of them, and most arrays of two that follow each other are equal: {@link #sharing} keeps each once.
 */
public final class Cells {
    /** An owner: no server, or several. */
    public static final int NOBODY = -1;

    public static final int SEVERAL = -2;

    /** Bits of a bucket's state. */
    public static final int OPENING = 1;

    public static final int UNOWNED = 2;
    public static final int IN_HANDOFF = 4;
    public static final int DAMAGED = 8;

    /** Of no bucket. */
    public static final Cells NONE = new Builder(0).build();

    private final long[] range;
    private final int[] owner;
    private final int[] state;
    /** Those of all measures but bytes, which need more than an int. */
    private final EnumMap<Measure, int[]> values;

    private final long[] bytes;

    private Cells(long[] range, int[] owner, int[] state, EnumMap<Measure, int[]> values, long[] bytes) {
        this.range = range;
        this.owner = owner;
        this.state = state;
        this.values = values;
        this.bytes = bytes;
    }

    /** Collects what is known of the buckets; used once. */
    public static final class Builder {
        private final long[] range;
        private final int[] owner;
        private final int[] state;
        private final EnumMap<Measure, int[]> values = new EnumMap<>(Measure.class);
        private final long[] bytes;

        public Builder(int buckets) {
            range = new long[buckets];
            owner = new int[buckets];
            state = new int[buckets];
            bytes = new long[buckets];
            for (Measure measure : EnumSet.complementOf(EnumSet.of(Measure.BYTES))) {
                values.put(measure, new int[buckets]);
            }
        }

        /**
         * @param id of the range that the bucket is a part of; 0: parts of several
         * @param server an index into the frame's servers, {@link #NOBODY} or {@link #SEVERAL}
         * @param bits {@link #OPENING} and so on
         */
        public Builder place(int bucket, long id, int server, int bits) {
            range[bucket] = id;
            owner[bucket] = server;
            state[bucket] = bits;
            return this;
        }

        public Builder set(Measure measure, int bucket, long value) {
            int[] its = values.get(measure);
            if (its == null) {
                bytes[bucket] = Math.max(0, value);
            } else {
                its[bucket] = (int) Math.max(0, Math.min(Integer.MAX_VALUE, value));
            }
            return this;
        }

        public Cells build() {
            return new Cells(range, owner, state, values, bytes);
        }
    }

    public int buckets() {
        return range.length;
    }

    /** The id of the bucket's range; 0: parts of several. */
    public long range(int bucket) {
        return range[bucket];
    }

    public int owner(int bucket) {
        return owner[bucket];
    }

    public int state(int bucket) {
        return state[bucket];
    }

    public long value(Measure measure, int bucket) {
        int[] its = values.get(measure);
        return its == null ? bytes[bucket] : its[bucket];
    }

    /** Equal to this, with as many of the other's arrays as are equal. */
    public Cells sharing(Cells other) {
        EnumMap<Measure, int[]> shared = new EnumMap<>(values);
        shared.replaceAll((measure, its) -> {
            int[] others = other.values.get(measure);
            return others != null && Arrays.equals(its, others) ? others : its;
        });
        return new Cells(
                Arrays.equals(range, other.range) ? other.range : range,
                Arrays.equals(owner, other.owner) ? other.owner : owner,
                Arrays.equals(state, other.state) ? other.state : state,
                shared,
                Arrays.equals(bytes, other.bytes) ? other.bytes : bytes);
    }

    @Override
    public boolean equals(Object object) {
        return object instanceof Cells other
                && Arrays.equals(range, other.range)
                && Arrays.equals(owner, other.owner)
                && Arrays.equals(state, other.state)
                && values.keySet().stream()
                        .allMatch(measure -> Arrays.equals(values.get(measure), other.values.get(measure)))
                && Arrays.equals(bytes, other.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(range) * 31 + Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return "Cells[of " + buckets() + " buckets]";
    }
}
