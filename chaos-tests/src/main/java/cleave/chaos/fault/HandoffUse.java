package cleave.chaos.fault;

/** What a planned handoff is for. */
public enum HandoffUse {
    SPLIT,
    MERGE,
    MOVE
}
