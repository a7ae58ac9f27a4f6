package cleave.frontend.request;

import cleave.frontend.protocol.auth.Grant;
import cleave.frontend.protocol.odata.BaseUri;
import cleave.frontend.protocol.odata.Method;
import cleave.frontend.protocol.odata.QueryString;
import cleave.frontend.protocol.odata.ResourceAddress;
import cleave.frontend.tracing.RequestTrace;
import org.jspecify.annotations.Nullable;

/**
 * An admitted request: its sender is authenticated, and its operation is known. Immutable.
 *
 * @param grant of its sender
 * @param formats of its payloads
 * @param beganNanos when its head was received
 * @param deadlineNanos on the same clock
 * @param trace null if traces are off
 */
public record AdmittedRequest(
        Request request,
        Grant grant,
        ResourceAddress address,
        BaseUri base,
        QueryString query,
        Method method,
        Operation operation,
        PayloadFormats formats,
        long beganNanos,
        long deadlineNanos,
        @Nullable RequestTrace trace) {
    /** The same with a trace. */
    public AdmittedRequest with(RequestTrace its) {
        return new AdmittedRequest(
                request, grant, address, base, query, method, operation, formats, beganNanos, deadlineNanos, its);
    }

    public String account() {
        return address.account();
    }
}
