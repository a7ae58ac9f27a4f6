package cleave.chaos.history;

/** One entity, read. Immutable. */
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
