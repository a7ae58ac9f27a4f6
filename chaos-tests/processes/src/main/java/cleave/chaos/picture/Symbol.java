package cleave.chaos.picture;

/** The mark of an event. */
public enum Symbol {
    UP("M-5 4L0 -5L5 4Z"),
    DOWN("M-5 -4L5 -4L0 5Z"),
    DOT("M-4 0A4 4 0 1 0 4 0A4 4 0 1 0 -4 0Z"),
    EXCLAMATION("M-1.5 -6H1.5V2H-1.5ZM-1.5 4H1.5V7H-1.5Z"),
    CROSS("M-5 -3.5L-3.5 -5L0 -1.5L3.5 -5L5 -3.5L1.5 0L5 3.5L3.5 5L0 1.5L-3.5 5L-5 3.5L-1.5 0Z"),
    PAUSE("M-4 -5H-1V5H-4ZM1 -5H4V5H1Z"),
    RUN("M-4 -5L5 0L-4 5Z");

    /** A shape around the origin. */
    final String path;

    Symbol(String path) {
        this.path = path;
    }
}
