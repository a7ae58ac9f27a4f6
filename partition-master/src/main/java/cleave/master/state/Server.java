package cleave.master.state;

import cleave.model.Incarnation;
import cleave.wire.ServerInfo;

/**
 * A live partition server. Immutable.
 *
 * @param address of its gRPC services
 * @param draining it gets no ranges, and its own are moved away; ends with the incarnation
 */
public record Server(Incarnation incarnation, String address, boolean draining) {
    static Server fromWire(ServerInfo wire) {
        return new Server(Incarnation.fromWire(wire.getIncarnation()), wire.getAddress(), wire.getDraining());
    }

    public ServerInfo toWire() {
        return ServerInfo.newBuilder()
                .setIncarnation(incarnation.toWire())
                .setAddress(address)
                .setDraining(draining)
                .build();
    }
}
