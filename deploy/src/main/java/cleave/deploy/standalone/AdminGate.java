package cleave.deploy.standalone;

import cleave.runtime.rpc.Callers;
import cleave.runtime.rpc.Channels;
import cleave.runtime.rpc.RpcServer;
import cleave.wire.AdminGrpc;
import cleave.wire.MasterGroupGrpc;
import io.grpc.BindableService;
import io.grpc.CallOptions;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCallHandler;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServiceDescriptor;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;

/** Lets other processes reach the services for operators of a master that listens inside this process only. Thread-safe. */
final class AdminGate implements AutoCloseable {
    private final Channels channels = new Channels();
    private final RpcServer server;

    AdminGate(String listen, String master) {
        channels.asOperator(() -> Callers.current().told()); // Called on the thread of the call that is passed on.
        server = RpcServer.start(
                listen,
                Callers.of(gate(AdminGrpc.getServiceDescriptor(), master)),
                Callers.of(gate(MasterGroupGrpc.getServiceDescriptor(), master)));
    }

    private BindableService gate(ServiceDescriptor descriptor, String master) {
        ServerServiceDefinition.Builder service = ServerServiceDefinition.builder(descriptor);
        for (MethodDescriptor<?, ?> method : descriptor.getMethods()) {
            pass(method, service, master);
        }
        return service::build;
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
