package cleave.chaos.history;

/** What became of an operation as far as its client knows. */
public enum Outcome {
    /** It took effect, or it read an entity. */
    DONE,
    /** Refused: the entity exists. */
    EXISTS,
    /** Refused, or read nothing: there is no such entity. */
    MISSING,
    /** Refused: the entity has another ETag. */
    CONDITION_FAILED,
    /** The answer says that it was not executed and never will be; or it was never sent. */
    NOT_EXECUTED,
    /** It may have taken effect, may still do so at any later time, or never will. */
    UNKNOWN,
    /** An answer that no correct store gives. */
    WRONG;

    /** An answer that says something of what is stored, and that nothing was changed. */
    boolean isRefusal() {
        return this == EXISTS || this == MISSING || this == CONDITION_FAILED;
    }
}
