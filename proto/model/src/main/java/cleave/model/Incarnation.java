package cleave.model;

/**
 * One run of one server process. Ranges are owned by incarnations, so a restarted process owns nothing. Immutable.
 *
 * @param server the server's id, chosen by its operator, the same over restarts
 * @param number assigned by the master at registration, never reused
 */
public record Incarnation(String server, long number) implements Comparable<Incarnation> {
    public static Incarnation fromWire(cleave.wire.Incarnation wire) {
        return new Incarnation(wire.getServer(), wire.getNumber());
    }

    public cleave.wire.Incarnation toWire() {
        return cleave.wire.Incarnation.newBuilder()
                .setServer(server)
                .setNumber(number)
                .build();
    }

    @Override
    public int compareTo(Incarnation other) {
        int order = server.compareTo(other.server);
        return order != 0 ? order : Long.compare(number, other.number);
    }

    @Override
    public String toString() {
        return server + "." + number;
    }
}
