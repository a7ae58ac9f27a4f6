package cleave.chaos.sim;

import cleave.runtime.rpc.CallTimeout;
import cleave.wire.AdminGrpc;
import cleave.wire.AdminGrpc.AdminStub;
import io.grpc.stub.StreamObserver;
import java.util.function.Consumer;

/** Operators' access to masters. Stateless. */
final class Admin {
    static final long PATIENCE_NANOS = 20_000_000_000L;

    private Admin() {}

    /** The leader, or the master that is believed to lead. */
    static AdminStub of(World world, SimProcess operator, String master) {
        return CallTimeout.on(AdminGrpc.newStub(world.rpc().channel(operator, master + ":1")), PATIENCE_NANOS);
    }

    /** Receives the answer, if there is one. */
    static <T> StreamObserver<T> on(Consumer<T> told) {
        return new StreamObserver<>() {
            @Override
            public void onNext(T reply) {
                told.accept(reply);
            }

            @Override
            public void onError(Throwable failure) {}

            @Override
            public void onCompleted() {}
        };
    }
}
