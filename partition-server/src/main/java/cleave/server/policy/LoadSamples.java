package cleave.server.policy;

import cleave.model.Key;
import cleave.wire.HotPartition;
import cleave.wire.RangeLoad;
import cleave.wire.SplitCandidate;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Locates the load within a range from a sample of its requests. It keeps some bounds between partitions, drawn in proportion to the load,
 * each with the load on either side since then; and the partition with the highest load. Confined to the range's loop.
 *
 * <p>Samples are weighted by entities, because a split should halve the load, not the number of requests. Under load a
 * report is at most a few seconds old: each generation of samples is replaced by the next.
 */
final class LoadSamples {
    private static final int CANDIDATES = 20;
    private static final long GENERATION_NANOS = 4_000_000_000L;
    /** A generation with few requests lasts longer, up to a bound. */
    private static final long GENERATION_NANOS_MAX = 30_000_000_000L;

    private static final int SAMPLES_MIN = 200;

    private long random;
    private Generation current;
    private Generation before;

    LoadSamples(long seed, long nowNanos) {
        this.random = seed == 0 ? 1 : seed;
        this.current = new Generation(nowNanos);
        this.before = current;
    }

    /**
     * A bound, and the load on either side of it since it was drawn. It is the bound before the partition that it was drawn by, or the one
     * behind it, because a popular partition has to be cut off on both sides.
     */
    private static final class Candidate {
        private final Key partition;
        private final boolean behind;
        /** Null while no partition is known that the bound could lie before. */
        private @Nullable Key at;

        private double left;
        private double right;
        private double spanning;
        private int hits;

        Candidate(Key partition, boolean behind) {
            this.partition = partition;
            this.behind = behind;
            this.at = behind ? null : partition;
        }

        void count(List<Key> keys, double weightOfEach) {
            int below = below(keys);
            if (behind && below < keys.size()) {
                comeNearer(keys.get(below));
            }
            left += below * weightOfEach;
            right += (keys.size() - below) * weightOfEach;
            if (below > 0 && below < keys.size()) {
                spanning += keys.size() * weightOfEach;
            }
            hits++;
        }

        /** How many are below it; few requests span a bound, so the first and the last key decide for most. */
        private int below(List<Key> keys) {
            int below = isBelow(keys.get(keys.size() - 1)) ? keys.size() : 0;
            while (below < keys.size() && isBelow(keys.get(below))) {
                below++;
            }
            return below;
        }

        private boolean isBelow(Key key) {
            return key.compareTo(partition) < 0 || (behind && key.partition().equals(partition));
        }

        /** No request fell between this key's partition and the bound so far, so the counts remain valid. */
        private void comeNearer(Key key) {
            if (at == null || key.compareTo(at) < 0) {
                at = key.partition();
            }
        }

        SplitCandidate toWire(Key bound) {
            return SplitCandidate.newBuilder()
                    .setAt(bound.toWire())
                    .setLeft((int) Math.min(left, Integer.MAX_VALUE))
                    .setRight((int) Math.min(right, Integer.MAX_VALUE))
                    .setSpanning((int) Math.min(spanning, Integer.MAX_VALUE))
                    .setHits(hits)
                    .build();
        }
    }

    private static final class Generation {
        private final long beganNanos;
        private final Candidate[] candidates = new Candidate[CANDIDATES];
        private final HotPartitions partitions = new HotPartitions();
        private int drawn;
        private int samples;
        private double weight;

        Generation(long beganNanos) {
            this.beganNanos = beganNanos;
        }
    }

    /**
     * A sampled request.
     *
     * @param keys ascending: all that it touched, or some spread over all of them
     * @param entities that it stands for
     */
    void add(List<Key> keys, int entities) {
        double weightOfEach = (double) entities / keys.size();
        for (int i = 0; i < current.drawn; i++) {
            current.candidates[i].count(keys, weightOfEach);
        }
        current.samples++;
        for (Key key : keys) {
            Key partition = key.partition();
            current.partitions.add(partition, weightOfEach);
            current.weight += weightOfEach;
            draw(partition, weightOfEach);
        }
    }

    /** A weighted reservoir: at every time, each bound's chance to be in it is in proportion to its weight. */
    private void draw(Key partition, double weight) {
        if (current.drawn < CANDIDATES) {
            current.candidates[current.drawn] = new Candidate(partition, current.drawn % 2 == 1);
            current.drawn++;
        } else if (below(current.weight) < CANDIDATES * weight) {
            int place = (int) below(CANDIDATES);
            current.candidates[place] = new Candidate(partition, place % 2 == 1);
        }
    }

    /** A number from 0 up to a bound. */
    private double below(double bound) {
        return (next() >>> 11) * 0x1.0p-53 * bound;
    }

    /** The number of requests to let pass until the next is sampled, so that one of {@code stride} is on average. */
    int skip(int stride) {
        return stride <= 1 ? 0 : (int) below(2.0 * stride - 1);
    }

    private long next() {
        random ^= random << 13;
        random ^= random >>> 7;
        random ^= random << 17;
        return random;
    }

    /** Ends generations. Call it now and then. */
    void age(long nowNanos) {
        long age = nowNanos - current.beganNanos;
        if (age >= GENERATION_NANOS_MAX || (age >= GENERATION_NANOS && current.samples >= SAMPLES_MIN)) {
            before = current;
            current = new Generation(nowNanos);
        }
    }

    void tell(RangeLoad.Builder load, long nowNanos) {
        boolean speaks = current.samples >= SAMPLES_MIN && nowNanos - current.beganNanos >= GENERATION_NANOS / 2;
        Generation told = speaks ? current : before;
        List<SplitCandidate> candidates = new ArrayList<>();
        for (int i = 0; i < told.drawn; i++) {
            Key at = told.candidates[i].at;
            if (at != null) {
                candidates.add(told.candidates[i].toWire(at));
            }
        }
        candidates.sort(Comparator.comparing(candidate -> Key.fromWire(candidate.getAt())));
        load.addAllCandidates(candidates);
        HotPartition hottest = told.partitions.hottest(told.samples);
        if (hottest != null) {
            load.setHottest(hottest);
        }
    }
}
