package cleave.chaos.sim.world;

import io.grpc.MethodDescriptor;
import io.grpc.Status;

/** The connection between the two ends of a call. */
final class RpcCall<Q, A> {
    private final Rpc rpc;
    final SimProcess client;
    final Rpc.Server server;
    final RpcClientEnd<Q, A> clientEnd;
    final RpcServerEnd<Q, A> serverEnd;
    final RpcDirection toServer;
    final RpcDirection toClient;
    private final boolean isStream;

    RpcCall(
            Rpc rpc,
            SimProcess client,
            Rpc.Server server,
            RpcClientEnd<Q, A> clientEnd,
            MethodDescriptor<Q, A> method) {
        this.rpc = rpc;
        this.client = client;
        this.server = server;
        this.clientEnd = clientEnd;
        this.serverEnd = new RpcServerEnd<>(rpc, this, method);
        this.toServer = new RpcDirection(rpc, client.node(), server.process(), this);
        this.toClient = new RpcDirection(rpc, server.process().node(), client, this);
        this.isStream = !method.getType().serverSendsOneMessage();
    }

    /** True if a process listens to it until it breaks, like a map or order stream. */
    boolean isStreamTo(SimProcess process) {
        return isStream && client == process;
    }

    boolean isOf(SimProcess process) {
        return client == process || server.process() == process;
    }

    boolean joins(String one, String other) {
        String from = client.node();
        String to = server.process().node();
        return (from.equals(one) && to.equals(other)) || (from.equals(other) && to.equals(one));
    }

    /** Breaks the call; each end notices after a while, sooner if it reaches the other. */
    void breakOff() {
        rpc.ended(this);
        toServer.close();
        toClient.close();
        server.process().deliver(noticing(client.node(), server.process().node()), serverEnd::cancelled);
        client.deliver(
                noticing(server.process().node(), client.node()),
                () -> clientEnd.end(Status.UNAVAILABLE.withDescription("the connection broke")));
    }

    private long noticing(String from, String to) {
        return rpc.world.network().isBlocked(from, to)
                ? Network.SILENCE_NANOS_MAX
                : rpc.world.network().delay(from, to);
    }
}
