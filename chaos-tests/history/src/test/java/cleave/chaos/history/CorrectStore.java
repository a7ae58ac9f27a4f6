package cleave.chaos.history;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

/**
 * Takes operations one after another, each at a moment inside its interval, or after it if its outcome is unknown. Confined to one
 * test.
 */
final class CorrectStore {
    private static final List<OperationKind> WRITES = List.of(
            OperationKind.INSERT,
            OperationKind.REPLACE,
            OperationKind.MERGE,
            OperationKind.INSERT_OR_REPLACE,
            OperationKind.INSERT_OR_MERGE,
            OperationKind.DELETE);
    private static final String TABLE = "t";

    private final Random random;
    private final int unknownPercent;
    private final boolean tiny;
    private final TreeMap<EntityKey, EntityState> entities = new TreeMap<>();
    private final Set<String> told = new HashSet<>();
    private final List<Operation> history = new ArrayList<>();
    private int given;
    private int scans;

    /** @param tiny few rows, few values, much at a time */
    CorrectStore(Random random, int unknownPercent, boolean tiny) {
        this.random = random;
        this.unknownPercent = unknownPercent;
        this.tiny = tiny;
    }

    private record Moment(long at, Runnable event) {}

    History run(int operations) {
        List<Moment> moments = new ArrayList<>();
        int length = tiny ? 5 : 30;
        for (int i = 0; i < operations; i++) {
            long at = random.nextInt(operations * (tiny ? 2 : 10));
            Call call = new Call(i, at - random.nextInt(length), at + random.nextInt(length));
            boolean isUnknown = random.nextInt(100) < unknownPercent;
            long late = isUnknown && random.nextBoolean() ? random.nextInt(300) : 0;
            boolean happens = !isUnknown || random.nextBoolean();
            moments.add(new Moment(at + late, () -> operate(call, isUnknown, happens)));
        }
        moments.sort(Comparator.comparingLong(Moment::at));
        moments.forEach(moment -> moment.event().run());
        history.sort(Comparator.comparingLong(operation -> operation.call().returned()));
        History result = new History();
        history.forEach(result::add);
        return result;
    }

    private void operate(Call call, boolean isUnknown, boolean happens) {
        int dice = random.nextInt(10);
        if (isUnknown || dice < 6) {
            change(call, isUnknown, happens);
        } else if (dice < 8) {
            EntityKey key = key();
            history.add(new Get(call, key, result(state(key))));
        } else {
            page(call);
        }
    }

    private EntityKey key() {
        return new EntityKey(TABLE, "p" + (tiny ? 0 : random.nextInt(2)), "r" + random.nextInt(tiny ? 2 : 4));
    }

    private EntityState state(EntityKey key) {
        return entities.getOrDefault(key, EntityState.ABSENT);
    }

    private Result result(EntityState state) {
        if (state.properties() == null) {
            return Result.of(Outcome.MISSING, "");
        }
        told.add(state.etag());
        return Result.read(state.etag(), state.properties());
    }

    private void page(Call call) {
        EntityKey one = key();
        EntityKey other = key();
        EntityKey from = random.nextInt(3) == 0 ? EntityKey.beginOf(TABLE) : one.compareTo(other) < 0 ? one : other;
        EntityKey until = random.nextInt(3) == 0 ? null : (one.compareTo(other) < 0 ? other : one).next();
        List<Page.Row> rows = new ArrayList<>();
        entities.forEach((key, state) -> {
            if (key.compareTo(from) >= 0 && (until == null || key.compareTo(until) < 0) && state.properties() != null) {
                rows.add(new Page.Row(key, result(state)));
            }
        });
        history.add(new Page(call, scans++, from, until, rows));
    }

    private void change(Call call, boolean isUnknown, boolean happens) {
        List<Write> writes = new ArrayList<>();
        EntityKey first = key();
        int most = random.nextInt(3) == 0 ? 3 : 1;
        for (int i = 0; i < most; i++) {
            EntityKey key = i == 0 ? first : new EntityKey(TABLE, first.partition(), key().row());
            if (writes.stream().noneMatch(write -> write.key().equals(key))) {
                writes.add(write(key));
            }
        }
        int refused = 0;
        Outcome why = null;
        while (why == null && refused < writes.size()) {
            why = state(writes.get(refused).key()).refusal(writes.get(refused), true);
            refused += why == null ? 1 : 0;
        }
        List<String> etags = writes.stream()
                .map(write -> write.kind() == OperationKind.DELETE ? "" : "e" + given++)
                .toList();
        if (why == null && happens) {
            for (int i = 0; i < writes.size(); i++) {
                EntityKey key = writes.get(i).key();
                entities.put(key, state(key).after(writes.get(i), etags.get(i)));
            }
        }
        if (isUnknown) {
            history.add(Change.unanswered(call, writes, Outcome.UNKNOWN, ""));
        } else if (why == null) {
            told.addAll(etags);
            history.add(Change.done(call, writes, etags));
        } else {
            history.add(Change.refused(call, writes, refused, why));
        }
    }

    private Write write(EntityKey key) {
        OperationKind kind = WRITES.get(random.nextInt(WRITES.size()));
        boolean isConditional =
                kind == OperationKind.REPLACE || kind == OperationKind.MERGE || kind == OperationKind.DELETE;
        String value = String.valueOf(tiny ? random.nextInt(2) : given);
        return new Write(
                key,
                kind,
                kind == OperationKind.DELETE ? Map.of() : Map.of(random.nextBoolean() ? "A" : "B", value),
                isConditional && random.nextBoolean() ? someEtag(state(key)) : "");
    }

    private String someEtag(EntityState state) {
        return random.nextBoolean() && told.contains(state.etag()) ? state.etag() : "stale";
    }
}
