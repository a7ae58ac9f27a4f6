package cleave.model;

/**
 * An incarnation's file in the DFS by which it confirms the reads of all its ranges. It holds nothing. Immutable.
 *
 * <p>Invariant I2: a barrier on it that succeeds proves that nobody has taken a range of this incarnation over before, for a takeover is
 * committed only by one who has sealed the fence that the replicated state names.
 *
 * @param number 1, 2, …: an incarnation replaces a fence that broke, or that took many barriers, and uses only the newest
 */
public record Fence(Incarnation incarnation, long number) {
    /** The prefix of the paths of all fences. */
    public static final String PREFIX = "fences/";

    public Fence {
        if (number < 1) {
            throw new IllegalArgumentException("fences are numbered from 1, not " + number);
        }
    }

    /** IllegalArgumentException if it is none. */
    public static Fence fromWire(cleave.wire.Fence wire) {
        return new Fence(Incarnation.fromWire(wire.getIncarnation()), wire.getNumber());
    }

    public cleave.wire.Fence toWire() {
        return cleave.wire.Fence.newBuilder()
                .setIncarnation(incarnation.toWire())
                .setNumber(number)
                .build();
    }

    /** Its path in the DFS. */
    public String path() {
        return PREFIX + incarnation + "-" + number;
    }

    @Override
    public String toString() {
        return incarnation + "-" + number;
    }
}
