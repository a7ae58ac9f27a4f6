package cleave.chaos.history;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Operations and their answers. Confined to its owner: each client keeps one, and they are merged when all have stopped. */
public final class History {
    private final List<Operation> operations = new ArrayList<>();

    public void add(Operation operation) {
        operations.add(operation);
    }

    public void addAll(History other) {
        operations.addAll(other.operations);
    }

    public List<Operation> operations() {
        return List.copyOf(operations);
    }

    public int size() {
        return operations.size();
    }

    /** The number of operations by outcome. */
    public Map<Outcome, Integer> outcomes() {
        Map<Outcome, Integer> outcomes = new EnumMap<>(Outcome.class);
        operations.forEach(operation -> outcomes.merge(operation.outcome(), 1, Integer::sum));
        return outcomes;
    }
}
