package cleave.chaos.history;

import java.util.List;

/**
 * One write, or an entity group transaction: all of its writes happen, at one moment, or none. Immutable.
 *
 * @param writes of one partition, each of another entity
 * @param refused index of the first write that could not be done, if the outcome is such a refusal
 * @param etags that each write gave, empty for a delete; none unless it was done
 * @param text what the answer said, for people
 */
public record Change(Call call, List<Write> writes, Outcome outcome, int refused, List<String> etags, String text)
        implements Operation {
    public Change {
        writes = List.copyOf(writes);
        etags = List.copyOf(etags);
        if (writes.isEmpty() || refused >= writes.size()) {
            throw new IllegalArgumentException("refused at " + refused + " of " + writes);
        }
        if (outcome == Outcome.DONE && etags.size() != writes.size()) {
            throw new IllegalArgumentException(etags + " for " + writes);
        }
    }

    /** A write by itself. */
    public static Change of(Call call, Write write, Result result) {
        return whole(call, List.of(write), result.outcome(), result.etag(), result.text());
    }

    /** A transaction that was done. */
    public static Change done(Call call, List<Write> writes, List<String> etags) {
        return new Change(call, writes, Outcome.DONE, 0, etags, "");
    }

    /** A transaction of which no write was done, because one could not be. */
    public static Change refused(Call call, List<Write> writes, int refused, Outcome outcome) {
        return new Change(call, writes, outcome, refused, List.of(), "");
    }

    /** A transaction whose answer was about all of it, and not that it was done. */
    public static Change unanswered(Call call, List<Write> writes, Outcome outcome, String text) {
        return new Change(call, writes, outcome, 0, List.of(), text);
    }

    private static Change whole(Call call, List<Write> writes, Outcome outcome, String etag, String text) {
        return new Change(call, writes, outcome, 0, outcome == Outcome.DONE ? List.of(etag) : List.of(), text);
    }

    @Override
    public String told() {
        StringBuilder told = new StringBuilder();
        if (writes.size() == 1) {
            told.append(writes.get(0)).append(" -> ").append(outcome);
        } else {
            told.append("TRANSACTION ").append(writes).append(" -> ").append(outcome);
            if (outcome.isRefusal()) {
                told.append(" at ").append(refused);
            }
        }
        etags.stream()
                .filter(etag -> !etag.isEmpty())
                .forEach(etag -> told.append(' ').append(etag));
        return text.isEmpty() ? told.toString() : told + " (" + text + ")";
    }

    @Override
    public String toString() {
        return call + " " + told();
    }
}
