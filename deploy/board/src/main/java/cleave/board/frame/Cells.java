package cleave.board.frame;

import java.util.Arrays;

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
    public static final Cells NONE =
            new Cells(new long[0], new int[0], new int[0], new int[Measure.values().length][0], new long[0]);

    private final long[] range;
    private final int[] owner;
    private final int[] state;
    /** By the ordinal of the measure; empty for bytes, which need more than an int. */
    private final int[][] values;

    private final long[] bytes;

    private Cells(long[] range, int[] owner, int[] state, int[][] values, long[] bytes) {
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
        private final int[][] values = new int[Measure.values().length][];
        private final long[] bytes;

        public Builder(int buckets) {
            range = new long[buckets];
            owner = new int[buckets];
            state = new int[buckets];
            bytes = new long[buckets];
            for (Measure measure : Measure.values()) {
                values[measure.ordinal()] = new int[measure == Measure.BYTES ? 0 : buckets];
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
            if (measure == Measure.BYTES) {
                bytes[bucket] = Math.max(0, value);
            } else {
                values[measure.ordinal()][bucket] = (int) Math.max(0, Math.min(Integer.MAX_VALUE, value));
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
        return measure == Measure.BYTES ? bytes[bucket] : values[measure.ordinal()][bucket];
    }

    /** Equal to this, with as many of the other's arrays as are equal. */
    public Cells sharing(Cells other) {
        int[][] shared = new int[values.length][];
        for (int i = 0; i < shared.length; i++) {
            shared[i] = Arrays.equals(values[i], other.values[i]) ? other.values[i] : values[i];
        }
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
                && Arrays.deepEquals(values, other.values)
                && Arrays.equals(bytes, other.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(range) * 31 + Arrays.deepHashCode(values);
    }

    @Override
    public String toString() {
        return "Cells[of " + buckets() + " buckets]";
    }
}
