package cleave.frontend.routing;

/**
 * What a query cost. Immutable.
 *
 * @param ranges visited
 * @param servers visited
 * @param examined entities examined by servers
 * @param received entities received from servers
 * @param returned entities returned to the client
 */
public record QueryCost(long calls, long ranges, long servers, long examined, long received, long returned) {}
