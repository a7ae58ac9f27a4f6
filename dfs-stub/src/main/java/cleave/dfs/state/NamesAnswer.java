package cleave.dfs.state;

import org.jspecify.annotations.Nullable;

/**
 * The outcome of a command. Immutable.
 *
 * @param file as it is after the command, of a deleted one as far as its extents are still known; null if there is none
 */
public record NamesAnswer(Outcome outcome, @Nullable FileEntry file) {
    /** Sorted by what the asker does next. */
    public enum Outcome {
        DONE,
        /** Another caller created it. */
        EXISTS,
        NOT_FOUND,
        DELETED,
        /** Its last extent must be fenced, and the length recorded. */
        SEALING,
        SEALED,
        /** Built on a state that is gone. */
        STALE
    }

    static NamesAnswer of(Outcome outcome, @Nullable FileEntry file) {
        return new NamesAnswer(outcome, file);
    }
}
