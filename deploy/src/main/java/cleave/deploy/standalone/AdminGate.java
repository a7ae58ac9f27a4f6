package cleave.deploy.standalone;

import cleave.rpc.Channels;
import cleave.rpc.RpcServer;
import cleave.wire.AdminGrpc;
import io.grpc.CallOptions;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCallHandler;
import io.grpc.ServerServiceDefinition;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;

/** Lets other processes reach the admin service of a master that listens inside this process only. Thread-safe. */
final class AdminGate implements AutoCloseable {
    private final Channels channels = new Channels();
    private final RpcServer server;

    AdminGate(String listen, String master) {
        ServerServiceDefinition.Builder service = ServerServiceDefinition.builder(AdminGrpc.getServiceDescriptor());
        for (MethodDescriptor<?, ?> method : AdminGrpc.getServiceDescriptor().getMethods()) {
            pass(method, service, master);
        }
        server = RpcServer.start(listen, service::build);
    }

    /** All of its methods take one request and give one reply; the caller's deadline goes along with the call. */
    private <Q, A> void pass(MethodDescriptor<Q, A> method, ServerServiceDefinition.Builder service, String master) {
        ServerCallHandler<Q, A> handler = ServerCalls.asyncUnaryCall((request, answer) ->
                ClientCalls.asyncUnaryCall(channels.to(master).newCall(method, CallOptions.DEFAULT), request, answer));
        service.addMethod(method, handler);
    }

    String address() {
        return server.address();
    }

    @Override
    public void close() {
        server.close();
        channels.close();
    }
}
