package cleave.chaos.fault;

/** The purpose of a planned handoff. */
public enum HandoffUse {
    SPLIT,
    MERGE,
    MOVE
}
