package cleave.chaos.load.run;

import cleave.chaos.load.workload.Action;
import cleave.client.Answer;

/**
 * The outcome of one attempt at an operation. Immutable.
 *
 * @param reads entities that its answers contain
 * @param text what was answered instead; empty if it was done
 */
public record Attempt(Status status, int reads, String text) {
    private static final int NOT_FOUND = 404;
    private static final int EXISTS = 409;

    /** The outcome of an attempt, as far as a client must know it. */
    public enum Status {
        DONE("done"),
        /** 404 or 409: the entity was deleted, or is there already. */
        REFUSED("404 or 409"),
        /** 503: nothing happened. */
        BUSY("503"),
        /** 500 or 504: it may have happened. */
        UNKNOWN("500 or 504"),
        /** No answer in time: it may have happened. */
        TIMED_OUT("time-out"),
        /** It may have happened. */
        BROKEN("broken connection"),
        /** Any other answer: nothing happened. */
        WRONG("other answer");

        private final String title;

        Status(String title) {
            this.title = title;
        }

        /** For reports. */
        public String title() {
            return title;
        }

        /** The guide's rule: what was refused for good is not worth another attempt. */
        public boolean isWorthRetry() {
            return this == BUSY || this == UNKNOWN || this == TIMED_OUT;
        }

        /** True if a write may take effect, now or later, though its client was not told. */
        public boolean mayHaveHappened() {
            return this == UNKNOWN || this == TIMED_OUT || this == BROKEN;
        }
    }

    /** A success. */
    public static Attempt done(int reads) {
        return new Attempt(Status.DONE, reads, "");
    }

    /** A refusal: the entity is not there, or was deleted. */
    public static Attempt notFound() {
        return new Attempt(Status.REFUSED, 0, NOT_FOUND + " there is no such entity");
    }

    /** A refusal of an insert: the entity is there already. */
    public static Attempt exists() {
        return new Attempt(Status.REFUSED, 0, EXISTS + " there is such an entity");
    }

    /** An answer that is no success. */
    static Attempt of(Answer answer) {
        Status status = switch (answer.status()) {
            case 500, 504 -> Status.UNKNOWN;
            case 503 -> Status.BUSY;
            case NOT_FOUND, EXISTS -> Status.REFUSED;
            default -> Status.WRONG;
        };
        return new Attempt(status, 0, answer.toString());
    }

    /**
     * True if a refusal is what must be: of what was deleted or never inserted, or of an insert that was done by an attempt whose answer was
     * lost.
     */
    static boolean isRightRefusal(Action action, String text, boolean mayBeMissing, boolean mayBeRepeated) {
        return text.startsWith(Integer.toString(EXISTS)) ? action == Action.INSERT && mayBeRepeated : mayBeMissing;
    }
}
