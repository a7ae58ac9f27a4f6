package cleave.chaos.history;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Reports a group that is not linearizable, as briefly as possible. Confined to its caller. */
final class Story {
    private static final int CONFIGURATIONS_MAX = 20_000;

    private final Group group;
    private final List<Move> moves;
    private final Linearization search;
    private final List<Operation> shown;

    private Story(Group group) {
        this.group = group;
        this.moves = Reduction.of(group);
        this.search = group.with(moves).search(CONFIGURATIONS_MAX);
        search.result();
        this.shown = shown();
    }

    static List<String> of(Group group) {
        return new Story(group).lines();
    }

    /** Operations with their numbers and times. */
    static List<String> listed(List<Operation> operations) {
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < operations.size(); i++) {
            lines.add(String.format(Locale.ROOT, "%2d ", i + 1)
                    + operations.get(i).call() + " " + operations.get(i).told());
        }
        lines.addAll(Timeline.of(operations));
        return lines;
    }

    static String subject(Operation operation) {
        if (operation instanceof Get get) {
            return get.key().toString();
        }
        if (operation instanceof Change change) {
            return change.writes().stream().map(write -> write.key().toString()).collect(Collectors.joining(" "));
        }
        if (operation instanceof Page page) {
            return page.from().table();
        }
        throw new AssertionError("unknown operation " + operation);
    }

    private List<String> lines() {
        List<EntityKey> concerned =
                IntStream.of(concerned()).mapToObj(group.entities()::get).toList();
        List<String> lines = listed(shown.stream()
                .map(operation -> operation instanceof Page page ? page.narrowed(concerned) : operation)
                .toList());
        lines.add("what fits longest is " + numbers(search.longest()) + ";");
        for (int entity : concerned()) {
            lines.add("  " + group.entities().get(entity) + " is then " + search.atLongest(entity));
        }
        lines.add("and " + numbers(search.stuck()) + " cannot come next");
        int others = group.moves().size() - shown.size();
        if (others > 0) {
            lines.add("(" + others + " other operations do not change that)");
        }
        return lines;
    }

    /** The needed operations, and those that wrote something that they show. */
    private List<Operation> shown() {
        Set<String> seen = new TreeSet<>();
        for (Move move : moves) {
            if (move.mustHappen()) {
                seen.addAll(marks(move));
            }
        }
        for (int entity : concerned()) {
            EntityState state = search.atLongest(entity);
            if (state.properties() != null) {
                seen.addAll(state.properties().values());
            }
        }
        return moves.stream()
                .filter(move -> move.mustHappen() || marks(move).stream().anyMatch(seen::contains))
                .sorted(Comparator.comparingLong(Move::invoked))
                .map(Move::operation)
                .toList();
    }

    /** Values and ETags that an operation wrote, read or named. */
    private static Set<String> marks(Move move) {
        Set<String> marks = new TreeSet<>();
        for (Part part : move.parts()) {
            if (part instanceof Part.Written written) {
                marks.addAll(written.write().properties().values());
                marks.add(written.etag());
                marks.add(written.write().ifMatch());
            } else if (part instanceof Part.Seen seen) {
                marks.addAll(seen.result().properties().values());
                marks.add(seen.result().etag());
            } else if (part instanceof Part.Refused refused) {
                marks.add(refused.write().ifMatch());
            }
        }
        marks.remove("");
        marks.remove(EntityState.UNBOUND);
        return marks;
    }

    private int[] concerned() {
        return moves.stream()
                .filter(Move::mustHappen)
                .flatMapToInt(move -> IntStream.of(move.keys()))
                .sorted()
                .distinct()
                .toArray();
    }

    /** The numbers of those that are shown. */
    private String numbers(List<Move> some) {
        String numbers = some.stream()
                .map(move -> shown.indexOf(move.operation()) + 1)
                .filter(number -> number > 0)
                .map(String::valueOf)
                .collect(Collectors.joining(" "));
        return numbers.isEmpty() ? "nothing" : numbers;
    }
}
