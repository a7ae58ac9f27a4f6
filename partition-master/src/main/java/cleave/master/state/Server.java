package cleave.master.state;

import cleave.model.Incarnation;
import cleave.wire.ServerInfo;

/**
 * A live partition server. Immutable.
 *
 * @param address of its gRPC services
 */
public record Server(Incarnation incarnation, String address) {
    static Server fromWire(ServerInfo wire) {
        return new Server(Incarnation.fromWire(wire.getIncarnation()), wire.getAddress());
    }

    public ServerInfo toWire() {
        return ServerInfo.newBuilder()
                .setIncarnation(incarnation.toWire())
                .setAddress(address)
                .build();
    }
}
