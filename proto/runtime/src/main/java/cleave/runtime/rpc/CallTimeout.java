package cleave.runtime.rpc;

import io.grpc.CallOptions;
import io.grpc.stub.AbstractStub;
import java.util.concurrent.TimeUnit;

/**
 * The timeout of a call. Stateless.
 *
 * <p>gRPC turns a timeout into a deadline on the clock of the machine. The timeout itself is passed as an option, too, for channels with
 * another clock.
 */
public final class CallTimeout {
    /** The timeout of the call. */
    public static final CallOptions.Key<Long> NANOS = CallOptions.Key.create("cleave-timeout-nanos");

    private CallTimeout() {}

    public static CallOptions on(CallOptions options, long nanos) {
        return options.withDeadlineAfter(nanos, TimeUnit.NANOSECONDS).withOption(NANOS, nanos);
    }

    public static <S extends AbstractStub<S>> S on(S stub, long nanos) {
        return stub.withDeadlineAfter(nanos, TimeUnit.NANOSECONDS).withOption(NANOS, nanos);
    }
}
