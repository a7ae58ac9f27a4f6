package cleave.board.sight;

import cleave.board.axis.Bounds;
import cleave.board.axis.Joining;
import cleave.board.frame.Axis;
import cleave.board.frame.Cells;
import cleave.board.frame.Cut;
import cleave.board.frame.Measure;
import cleave.board.sight.Ranges.Range;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.wire.RangeLoad;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Cuts the key space into buckets, and says what is known of each. Confined to its owner.
 *
 * <p>A range is divided at the bounds that its owner has sampled, and its load among the parts, so that a hot spot is seen before anybody has
 * divided it. Bounds are sampled anew every few seconds; those in use stay while they still divide the load, and are examined once a
 * minute, since a map whose rows change with each column cannot be read.
 */
final class Grid {
    private static final int EXAMINED_EVERY = 60;
    /** Bounds are replaced if the largest part between them is so much larger than between new ones. */
    private static final double WORSE = 2;
    /** A range that is worth it by so much is divided at once, and any other when bounds are examined. */
    private static final double CLEARLY = 2;

    private final Names names;
    private final Map<Long, Division> divisions = new TreeMap<>();
    private List<Key> lowers = List.of();
    private int[] groups = new int[0];
    private Axis axis = Axis.NONE;
    private long lastAxis;
    private int untilExamined;

    /** How a range is divided. */
    private record Division(KeyRange interval, List<Key> bounds) {}

    /**
     * A part of a range that is not divided further.
     *
     * @param load the part of the range's load
     * @param bytes the part of its bytes
     */
    private record Part(Range range, Key lower, double load, double bytes) {}

    /** @param lastAxis the highest id that an axis had before */
    Grid(Names names, long lastAxis) {
        this.names = names;
        this.lastAxis = lastAxis;
    }

    Axis axis() {
        return axis;
    }

    /** @param owner of a range: an index into the servers, or NOBODY */
    Cells cells(Ranges ranges, TableNames tables, ToIntFunction<Range> owner) {
        if (ranges.all().isEmpty()) {
            axis = Axis.NONE;
            return Cells.NONE;
        }
        boolean isExamined = --untilExamined <= 0;
        untilExamined = isExamined ? EXAMINED_EVERY : untilExamined;
        List<Part> parts = parts(ranges, tables, isExamined);
        List<Key> now = parts.stream().map(Part::lower).toList();
        if (isExamined || !now.equals(lowers)) {
            lowers = now;
            groups = groups(parts);
        }
        Axis drawn = axis(parts, tables);
        if (axis.id() == 0 || !drawn.equals(axis)) {
            axis = new Axis(++lastAxis, drawn.tables(), drawn.cuts());
        }
        return filled(parts, owner);
    }

    private List<Part> parts(Ranges ranges, TableNames tables, boolean isExamined) {
        double sum = ranges.all().stream()
                .mapToDouble(range -> range.load().getEntitiesPerSecond())
                .sum();
        double worthDividing = ranges.all().size() > Axis.BUCKETS_MAX / 2 ? sum / Axis.BUCKETS_MAX : 0;
        Map<Long, Division> kept = new TreeMap<>();
        List<Part> parts = new ArrayList<>();
        for (Range range : ranges.all()) {
            Bounds sampled = Bounds.of(range.load());
            Division division = isWorthDividing(range, worthDividing, isExamined)
                    ? division(range, sampled, tables, isExamined)
                    : new Division(range.row().range(), List.of());
            kept.put(range.id(), division);
            add(parts, range, division.bounds(), sampled);
        }
        divisions.clear();
        divisions.putAll(kept);
        return parts;
    }

    /** A load that wavers around the least that is worth it must not change the rows with each frame. */
    private boolean isWorthDividing(Range range, double least, boolean isExamined) {
        double load = range.load().getEntitiesPerSecond();
        Division known = divisions.get(range.id());
        if (isExamined || known == null) {
            return load >= least;
        }
        return !known.bounds().isEmpty() || load >= CLEARLY * least;
    }

    private Division division(Range range, Bounds sampled, TableNames tables, boolean isExamined) {
        KeyRange interval = range.row().range();
        Division known = divisions.get(range.id());
        Division before = known == null || !known.interval().equals(interval) ? null : known;
        if (before != null && !isExamined && (!before.bounds().isEmpty() || sampled.isEmpty())) {
            return before;
        }
        List<Key> fresh = sampled.inside(interval, tables.ofRange(range.id()));
        if (before == null || before.bounds().isEmpty()) {
            return new Division(interval, fresh);
        }
        boolean isKept =
                sampled.isEmpty() || sampled.largestPart(before.bounds()) <= WORSE * sampled.largestPart(fresh);
        return isKept ? before : new Division(interval, fresh);
    }

    private static void add(List<Part> parts, Range range, List<Key> bounds, Bounds sampled) {
        double before = 0;
        Key lower = range.row().range().start();
        double[] bytes = bytes(range.load(), bounds);
        for (int i = 0; i <= bounds.size(); i++) {
            double until = i == bounds.size() ? 1 : Math.max(before, sampled.below(bounds.get(i)));
            double load = sampled.isEmpty() ? 1.0 / (bounds.size() + 1) : until - before;
            parts.add(new Part(range, lower, load, bytes[i]));
            before = until;
            lower = i == bounds.size() ? lower : bounds.get(i);
        }
    }

    /** Where the bytes halve is known at most: the parts on either side have equal shares. */
    private static double[] bytes(RangeLoad load, List<Key> bounds) {
        double[] shares = new double[bounds.size() + 1];
        Key middle = load.hasMiddle() && !load.getMiddle().getAt().isEmpty()
                ? Key.fromWire(load.getMiddle().getAt())
                : null;
        int left = 0;
        while (middle != null && left < bounds.size() && bounds.get(left).compareTo(middle) <= 0) {
            left++;
        }
        if (middle == null || left == 0) {
            Arrays.fill(shares, 1.0 / shares.length);
            return shares;
        }
        double share = load.getMiddle().getLeft();
        Arrays.fill(shares, 0, left, share / left);
        Arrays.fill(shares, left, shares.length, (1 - share) / (shares.length - left));
        return shares;
    }

    private static int[] groups(List<Part> parts) {
        double[] loads = new double[parts.size()];
        boolean[] begins = new boolean[parts.size()];
        for (int i = 0; i < loads.length; i++) {
            loads[i] = parts.get(i).load() * parts.get(i).range().load().getEntitiesPerSecond();
            begins[i] = i > 0
                    && parts.get(i).range().id() != parts.get(i - 1).range().id();
        }
        return Joining.groups(loads, begins, 0, Axis.BUCKETS_MAX);
    }

    /** Of the same id as the one before. A bound whose text is the same as the one before it, as of bytes that are no text, is no cut. */
    private Axis axis(List<Part> parts, TableNames tables) {
        List<Cut> cuts = new ArrayList<>();
        SortedSet<Long> shown = tables.ids();
        Cut before = new Cut(0, "");
        for (int i = 1; i < parts.size(); i++) {
            if (groups[i] != groups[i - 1]) {
                Cut cut = names.cut(parts.get(i).lower());
                if (cut.equals(before)) {
                    join(i);
                } else {
                    cuts.add(cut);
                    shown.add(cut.table());
                }
                before = cut;
            }
        }
        return new Axis(axis.id(), tables.tables(shown), cuts);
    }

    private void join(int from) {
        for (int i = from; i < groups.length; i++) {
            groups[i]--;
        }
    }

    private Cells filled(List<Part> parts, ToIntFunction<Range> owner) {
        int buckets = axis.buckets();
        @Nullable Place[] places = new @Nullable Place[buckets];
        for (int i = 0; i < parts.size(); i++) {
            places[groups[i]] = Place.joined(places[groups[i]], parts.get(i).range(), owner);
        }
        Cells.Builder cells = new Cells.Builder(buckets);
        for (int bucket = 0; bucket < buckets; bucket++) {
            Place place = Objects.requireNonNull(places[bucket]);
            cells.place(bucket, place.range(), place.owner(), place.state());
        }
        for (Measure measure : Measure.values()) {
            double[] sums = sums(parts, measure, buckets);
            for (int bucket = 0; bucket < buckets; bucket++) {
                cells.set(measure, bucket, Math.round(sums[bucket]));
            }
        }
        return cells.build();
    }

    private double[] sums(List<Part> parts, Measure measure, int buckets) {
        double[] sums = new double[buckets];
        for (int i = 0; i < parts.size(); i++) {
            double value = value(parts.get(i), measure);
            int bucket = groups[i];
            sums[bucket] = measure.isAdditive() ? sums[bucket] + value : Math.max(sums[bucket], value);
        }
        return sums;
    }

    private static double value(Part part, Measure measure) {
        RangeLoad load = part.range().load();
        return switch (measure) {
            case ENTITIES -> part.load() * load.getEntitiesPerSecond();
            case WRITTEN -> part.load() * load.getWritten();
            case READ -> part.load() * load.getRead();
            case SCANNED -> part.load() * load.getScanned();
            case CPU -> part.load() * load.getCpu() * 1000;
            case BYTES -> part.bytes() * load.getBytes();
            case QUEUE -> load.getQueueWaitMillis() * 1000;
        };
    }

    /** Whose a bucket is. */
    private record Place(long range, int owner, int state) {
        static Place joined(@Nullable Place before, Range range, ToIntFunction<Range> owners) {
            int owner = owners.applyAsInt(range);
            Place its = new Place(range.id(), owner, state(range, owner));
            if (before == null || before.equals(its)) {
                return its;
            }
            return new Place(
                    before.range() == its.range() ? its.range() : 0,
                    before.owner() == its.owner() ? its.owner() : Cells.SEVERAL,
                    before.state() | its.state());
        }

        private static int state(Range range, int owner) {
            String state = range.state().getState();
            boolean isUnowned = state.equals("unowned") || owner == Cells.NOBODY;
            return (state.equals("opening") ? Cells.OPENING : 0)
                    | (isUnowned ? Cells.UNOWNED : 0)
                    | (range.state().getHandoff().isEmpty() ? 0 : Cells.IN_HANDOFF)
                    | (range.state().getDamagedFilesCount() > 0 ? Cells.DAMAGED : 0);
        }
    }
}
