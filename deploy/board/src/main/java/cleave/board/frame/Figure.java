package cleave.board.frame;

/**
 * A figure behind a decision. Immutable.
 *
 * @param text what is not a number; then the value does not count
 * @param unit empty: it counts what its name says
 */
public record Figure(String name, double value, String text, String unit) {}
