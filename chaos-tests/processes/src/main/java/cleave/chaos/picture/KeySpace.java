package cleave.chaos.picture;

import cleave.chaos.picture.Chart.Strip;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * A strip of a chart that shows the key space over time: keys downwards, and who held each part of them. A split is a cut, a merge the end of
 * one, and a move another colour; what nobody serves is hatched. Keys are compared as strings. Immutable.
 *
 * @param unit what the keys are
 * @param height in pixels
 * @param bounds the lower bounds of all ranges that ever were, ascending
 * @param fields who held which keys from when until when, in the order in which they began, and then of their keys
 * @param isToScale false if the keys between two bounds are as high as those between any other two, however many they are
 */
public record KeySpace(
        String unit, int height, List<Bound> bounds, List<Field> fields, List<Dot> dots, boolean isToScale)
        implements Strip {
    private static final int HEIGHT = 210;
    /** What a part without any known key counts as. */
    private static final double WEIGHT_MIN = 0.3;

    /**
     * A range at one time.
     *
     * @param from the first key that may be in it
     * @param holder such as a server
     * @param isServed false if the holder does not answer for it
     */
    public record Held(String range, String from, String holder, boolean isServed) {}

    /** All ranges at one time, in the order of their keys. */
    public record Moment(double x, List<Held> ranges) {
        public Moment {
            ranges = List.copyOf(ranges);
        }
    }

    /** A request for a key. */
    public record Request(double x, String key) {}

    /** @param place from the top, as a share of the height */
    public record Bound(String key, double place) {}

    /**
     * A range of one holder, for a time.
     *
     * @param first the index of its lower bound
     * @param last the index of its upper bound; the number of bounds for the end of the key space
     */
    public record Field(String range, String holder, boolean isServed, int first, int last, double from, double until) {
        boolean contains(double x, int bound) {
            return from <= x && x <= until && first <= bound && bound < last;
        }
    }

    /**
     * A request, in the part of its key and there in the order of all requested keys.
     *
     * @param holder who held its key; empty if nobody is known
     */
    public record Dot(double x, double place, String holder) {}

    /** What makes a field; it goes on as long as none of this changes. */
    private record Extent(String range, String holder, boolean isServed, int first, int last) {}

    public KeySpace {
        bounds = List.copyOf(bounds);
        fields = List.copyOf(fields);
        dots = List.copyOf(dots);
    }

    /**
     * Of what was seen.
     *
     * @param moments ascending; each holds until the next one
     * @param until the end of the last one
     */
    public static KeySpace of(String unit, List<Moment> moments, double until) {
        List<String> keys = List.copyOf(moments.stream()
                .flatMap(moment -> moment.ranges().stream())
                .map(Held::from)
                .collect(TreeSet::new, TreeSet::add, TreeSet::addAll));
        List<Bound> bounds = new ArrayList<>();
        keys.forEach(key -> bounds.add(new Bound(key, (double) bounds.size() / keys.size())));
        return new KeySpace(unit, HEIGHT, bounds, fields(moments, keys, until), List.of(), false);
    }

    private static List<Field> fields(List<Moment> moments, List<String> bounds, double until) {
        List<Field> fields = new ArrayList<>();
        Map<Extent, Double> open = new LinkedHashMap<>();
        for (Moment moment : moments) {
            List<Extent> now = extents(moment, bounds);
            end(open, extent -> !now.contains(extent), moment.x(), fields);
            now.forEach(extent -> open.putIfAbsent(extent, moment.x()));
        }
        end(open, extent -> true, until, fields);
        fields.sort((one, other) -> {
            int byBegin = Double.compare(one.from(), other.from());
            return byBegin != 0 ? byBegin : Integer.compare(one.first(), other.first());
        });
        return fields;
    }

    private static void end(Map<Extent, Double> open, Predicate<Extent> which, double x, List<Field> to) {
        open.entrySet().removeIf(each -> {
            Extent extent = each.getKey();
            if (which.test(extent)) {
                to.add(new Field(
                        extent.range(),
                        extent.holder(),
                        extent.isServed(),
                        extent.first(),
                        extent.last(),
                        each.getValue(),
                        x));
            }
            return which.test(extent);
        });
    }

    private static List<Extent> extents(Moment moment, List<String> bounds) {
        List<Extent> extents = new ArrayList<>();
        int last = bounds.size();
        for (int i = moment.ranges().size() - 1; i >= 0; i--) {
            Held held = moment.ranges().get(i);
            int first = Collections.binarySearch(bounds, held.from());
            extents.add(0, new Extent(held.range(), held.holder(), held.isServed(), first, last));
            last = first;
        }
        return extents;
    }

    /** The same, with each part as high as it has keys. */
    public KeySpace toScale(List<String> keys) {
        double[] weights = new double[bounds.size()];
        keys.forEach(key -> weights[part(key)]++);
        double all = 0;
        for (int i = 0; i < weights.length; i++) {
            weights[i] = Math.max(WEIGHT_MIN, weights[i]);
            all += weights[i];
        }
        List<Bound> scaled = new ArrayList<>();
        double above = 0;
        for (int i = 0; i < weights.length; i++) {
            scaled.add(new Bound(bounds.get(i).key(), above / all));
            above += weights[i];
        }
        return new KeySpace(unit, height, scaled, fields, dots, true);
    }

    /** The same, with a dot for each request. */
    public KeySpace dotted(List<Request> requests) {
        TreeMap<Integer, TreeSet<String>> keys = new TreeMap<>();
        requests.forEach(request -> keys.computeIfAbsent(part(request.key()), part -> new TreeSet<>())
                .add(request.key()));
        Map<String, Double> places = new TreeMap<>();
        keys.forEach((part, its) -> {
            double top = place(part);
            double step = (place(part + 1) - top) / its.size();
            int rank = 0;
            for (String key : its) {
                places.put(key, top + (rank + 0.5) * step);
                rank++;
            }
        });
        List<Dot> placed = requests.stream()
                .map(request -> new Dot(
                        request.x(), places.getOrDefault(request.key(), 0.0), holder(request.x(), part(request.key()))))
                .toList();
        return new KeySpace(unit, height, bounds, fields, placed, isToScale);
    }

    /** The same in another height, in pixels. */
    public KeySpace high(int pixels) {
        return new KeySpace(unit, pixels, bounds, fields, dots, isToScale);
    }

    private String holder(double x, int part) {
        return fields.stream()
                .filter(field -> field.contains(x, part))
                .reduce((earlier, later) -> later)
                .map(Field::holder)
                .orElse("");
    }

    /** The index of the last bound that is not behind a key. */
    private int part(String key) {
        int at = Collections.binarySearch(bounds.stream().map(Bound::key).toList(), key);
        return Math.max(0, at < 0 ? -at - 2 : at);
    }

    /** The place of a bound, or of the end of the key space. */
    double place(int bound) {
        return bound < bounds.size() ? bounds.get(bound).place() : 1;
    }

    /** All holders, sorted. */
    List<String> holders() {
        return fields.stream().map(Field::holder).distinct().sorted().toList();
    }

    boolean hasUnserved() {
        return fields.stream().anyMatch(field -> !field.isServed());
    }

    /** The heads of {@link #rows}: no times if nothing changes. */
    public List<String> heads() {
        List<String> heads = new ArrayList<>(List.of("keys", "range", "server"));
        if (!isStill()) {
            heads.addAll(List.of("from", "until"));
        }
        if (!dots.isEmpty()) {
            heads.add("requests");
        }
        return heads;
    }

    /** True if all ranges are the same from the beginning to the end. */
    private boolean isStill() {
        return fields.stream().map(Field::from).distinct().count() <= 1
                && fields.stream().map(Field::until).distinct().count() <= 1;
    }

    /** The same as a table: for each field a row. */
    public List<List<String>> rows() {
        return fields.stream().map(this::row).toList();
    }

    private List<String> row(Field field) {
        List<String> row = new ArrayList<>(List.of(
                keys(field), field.range(), field.isServed() ? field.holder() : field.holder() + ", not served"));
        if (!isStill()) {
            row.add(Axis.text(rounded(field.from())));
            row.add(Axis.text(rounded(field.until())));
        }
        if (!dots.isEmpty()) {
            row.add(Long.toString(dots.stream().filter(dot -> isIn(dot, field)).count()));
        }
        return row;
    }

    private boolean isIn(Dot dot, Field field) {
        return field.from() < dot.x()
                && dot.x() <= field.until()
                && place(field.first()) <= dot.place()
                && dot.place() < place(field.last());
    }

    /** A row in words. */
    String told(Field field) {
        return keys(field) + " by " + field.holder() + (field.isServed() ? "" : ", not served") + " from "
                + Axis.text(rounded(field.from())) + " until " + Axis.text(rounded(field.until()));
    }

    /** Such as {@code p10 to p20}; {@code on} for all that follow. */
    String keys(Field field) {
        return bounds.get(field.first()).key()
                + (field.last() < bounds.size()
                        ? " to " + bounds.get(field.last()).key()
                        : " on");
    }

    private static double rounded(double x) {
        return Math.round(x * 100) / 100.0;
    }
}
