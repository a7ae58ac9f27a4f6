package cleave.chaos.sim.stories;

import cleave.chaos.history.Outcome;
import cleave.chaos.history.Result;
import org.jspecify.annotations.Nullable;

/** A request of a scenario's client and, later, its answer. */
final class ScriptedRequest {
    private final String text;
    private @Nullable Result result;

    ScriptedRequest(String text) {
        this.text = text;
    }

    void answered(Result with) {
        result = with;
    }

    boolean isAnswered() {
        return result != null;
    }

    /** The answer; null until it arrives. */
    @Nullable
    Outcome outcome() {
        return result == null ? null : result.outcome();
    }

    @Override
    public String toString() {
        return text + (result == null ? ", not answered yet" : " -> " + result);
    }
}
