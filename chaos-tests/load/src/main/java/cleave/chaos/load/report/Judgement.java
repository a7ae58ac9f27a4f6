package cleave.chaos.load.report;

/**
 * The outcome of a load by one condition. Immutable.
 *
 * @param condition as it was typed
 * @param found the figure, such as {@code p99 is 12.31 ms}
 */
public record Judgement(String condition, String found, boolean isFailed) {}
