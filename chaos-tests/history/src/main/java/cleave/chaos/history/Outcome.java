package cleave.chaos.history;

/** The outcome of an operation as its client knows it. */
public enum Outcome {
    /** It took effect, or it read an entity. */
    DONE,
    /** Refused: the entity exists. */
    EXISTS,
    /** Refused, or read nothing: the entity does not exist. */
    MISSING,
    /** Refused: the entity has another ETag. */
    CONDITION_FAILED,
    /** It was never sent, or the answer says that it was not and will not be executed. */
    NOT_EXECUTED,
    /** It may have taken effect, may still do so later, or never will. */
    UNKNOWN,
    /** An answer that a correct store never gives. */
    WRONG;

    /** An answer that shows something of the stored data and that nothing was changed. */
    boolean isRefusal() {
        return this == EXISTS || this == MISSING || this == CONDITION_FAILED;
    }
}
