package cleave.chaos.history;

/** A read of one entity. Immutable. */
public record Get(Call call, EntityKey key, Result result) implements Operation {
    @Override
    public Outcome outcome() {
        return result.outcome();
    }

    @Override
    public String told() {
        return "GET " + key + " -> " + result;
    }

    @Override
    public String toString() {
        return call + " " + told();
    }
}
