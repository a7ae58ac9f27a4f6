package cleave.chaos.balance;

/**
 * A load on one table. Immutable.
 *
 * @param entities a second
 * @param warmSeconds duration of a tenth of the load before, to warm the processes up
 * @param seconds duration of the load
 * @param rangeBytes approximate size of the table before
 * @param seed of all random choices
 */
record LoadShape(double entities, double warmSeconds, double seconds, long rangeBytes, long seed) {}
