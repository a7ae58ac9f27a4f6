package cleave.chaos.history;

import java.util.List;

/**
 * One write, or an entity group transaction, whose writes take effect together or not at all. Immutable.
 *
 * @param writes to distinct entities of one partition
 * @param refused index of the first refused write, if the outcome is a refusal
 * @param etags one for each write, empty for a delete; none unless it was executed
 * @param text the text of the answer
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

    /** A single write. */
    public static Change of(Call call, Write write, Result result) {
        return whole(call, List.of(write), result.outcome(), result.etag(), result.text());
    }

    /** An executed transaction. */
    public static Change done(Call call, List<Write> writes, List<String> etags) {
        return new Change(call, writes, Outcome.DONE, 0, etags, "");
    }

    /** A transaction that was refused because of one write. */
    public static Change refused(Call call, List<Write> writes, int refused, Outcome outcome) {
        return new Change(call, writes, outcome, refused, List.of(), "");
    }

    /** A transaction that failed as a whole. */
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
