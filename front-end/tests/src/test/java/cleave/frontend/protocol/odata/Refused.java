package cleave.frontend.protocol.odata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** Assertions about refusals. */
public final class Refused {
    private Refused() {}

    /** The refusal of a call that must end in one with this code. */
    public static ServiceError with(ServiceCode code, ThrowingCallable call) {
        Throwable thrown = catchThrowable(call);
        assertThat(thrown).isInstanceOf(ServiceError.class);
        ServiceError error = (ServiceError) thrown;
        assertThat(error.code()).as("%s", error.getMessage()).isEqualTo(code);
        return error;
    }

    /** Runs what may be refused, but must not fail in any other way. */
    public static void orFine(Runnable call) {
        try {
            call.run();
        } catch (ServiceError e) {
            assertThat(e.status()).isBetween(400, 501).isNotEqualTo(500);
        }
    }
}
