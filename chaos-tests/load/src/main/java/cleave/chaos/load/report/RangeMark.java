package cleave.chaos.load.report;

/**
 * Something that happened to ranges during a load. Immutable.
 *
 * @param second of the run
 * @param kind split, merge, move, failover or verdict
 */
public record RangeMark(double second, String kind, String text) {}
