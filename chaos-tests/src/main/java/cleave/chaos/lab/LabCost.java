package cleave.chaos.lab;

/**
 * What requests cost, as counted by the one who made them. Immutable.
 *
 * @param roundTrips requests that were answered, whatever the answer
 * @param examined entities that partition servers looked at, from {@code x-cleave-explain}; 0 where the header is withheld
 * @param returned entities that came back
 * @param ranges that were asked, from the same header; each request counts its own
 * @param sent bytes of bodies
 * @param received bytes of bodies
 */
public record LabCost(long roundTrips, long examined, long returned, long ranges, long sent, long received) {
    public static final LabCost NONE = new LabCost(0, 0, 0, 0, 0, 0);

    public LabCost plus(LabCost other) {
        return new LabCost(
                roundTrips + other.roundTrips,
                examined + other.examined,
                returned + other.returned,
                ranges + other.ranges,
                sent + other.sent,
                received + other.received);
    }

    public LabCost minus(LabCost earlier) {
        return new LabCost(
                roundTrips - earlier.roundTrips,
                examined - earlier.examined,
                returned - earlier.returned,
                ranges - earlier.ranges,
                sent - earlier.sent,
                received - earlier.received);
    }
}
