package cleave.chaos.sim;

import cleave.chaos.history.Outcome;
import cleave.chaos.history.Result;
import org.jspecify.annotations.Nullable;

/** Something that a client of a script has asked for, and, later, its answer. Confined to the simulation. */
final class Asked {
    private final String text;
    private @Nullable Result result;

    Asked(String text) {
        this.text = text;
    }

    void answered(Result with) {
        result = with;
    }

    boolean isAnswered() {
        return result != null;
    }

    /** What came; null while nothing has. */
    @Nullable
    Outcome outcome() {
        return result == null ? null : result.outcome();
    }

    @Override
    public String toString() {
        return text + (result == null ? ", not answered yet" : " -> " + result);
    }
}
