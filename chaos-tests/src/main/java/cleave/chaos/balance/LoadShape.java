package cleave.chaos.balance;

/**
 * A load on one table. Immutable.
 *
 * @param entities a second
 * @param warmSeconds how long there is a tenth of it before, to warm the processes up
 * @param seconds that it lasts
 * @param rangeBytes about as much is in the table before
 * @param seed of all that is left to chance
 */
record LoadShape(double entities, double warmSeconds, double seconds, long rangeBytes, long seed) {}
