package cleave.runtime.rpc;

import io.grpc.CallOptions;
import io.grpc.stub.AbstractStub;
import java.util.concurrent.TimeUnit;

/**
 * How long a call may take. Stateless.
 *
 * <p>gRPC keeps a deadline on the clock of the machine, from the moment on at which it is set. Beside it goes the time itself, for
 * channels that keep another clock.
 */
public final class CallTimeout {
    /** Of a call that was given a timeout here. */
    public static final CallOptions.Key<Long> NANOS = CallOptions.Key.create("cleave-timeout-nanos");

    private CallTimeout() {}

    public static CallOptions on(CallOptions options, long nanos) {
        return options.withDeadlineAfter(nanos, TimeUnit.NANOSECONDS).withOption(NANOS, nanos);
    }

    public static <S extends AbstractStub<S>> S on(S stub, long nanos) {
        return stub.withDeadlineAfter(nanos, TimeUnit.NANOSECONDS).withOption(NANOS, nanos);
    }
}
