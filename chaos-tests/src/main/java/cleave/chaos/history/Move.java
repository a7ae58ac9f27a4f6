package cleave.chaos.history;

/**
 * An operation as the search for an order of them takes it. Immutable.
 *
 * @param keys the entities that it is about, by their numbers in the group, rising
 * @param parts what it does with each
 * @param returned when it had certainly happened, if it did; the end of time if that is not known
 * @param mustHappen false if it may be left out
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared, never changed.
record Move(Operation operation, int[] keys, Part[] parts, long invoked, long returned, boolean mustHappen) {
    boolean mayWrite() {
        return parts[0] instanceof Part.Written;
    }

    Move asOptional() {
        return new Move(operation, keys, parts, invoked, returned, false);
    }

    /** The same, if nothing is known of its end. */
    Move asOpen() {
        return new Move(operation, keys, parts, invoked, Long.MAX_VALUE, false);
    }
}
