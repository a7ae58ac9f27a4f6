package cleave.chaos.history;

/**
 * An operation as a step of the search. Immutable.
 *
 * @param keys its entities by index in the group, ascending
 * @param parts its effect on each
 * @param returned when it had certainly happened, if it did; {@link Long#MAX_VALUE} if unknown
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

    /** The same with an unknown end. */
    Move asOpen() {
        return new Move(operation, keys, parts, invoked, Long.MAX_VALUE, false);
    }
}
