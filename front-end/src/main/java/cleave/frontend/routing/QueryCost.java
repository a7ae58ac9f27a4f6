package cleave.frontend.routing;

/**
 * What a query cost. Immutable.
 *
 * @param ranges visited, and so the servers
 * @param examined entities that servers examined
 * @param received entities that they sent
 * @param returned entities that the client got
 */
public record QueryCost(long calls, long ranges, long servers, long examined, long received, long returned) {}
