package cleave.frontend.request;

import cleave.frontend.protocol.auth.Grant;
import cleave.frontend.protocol.odata.BaseUri;
import cleave.frontend.protocol.odata.Method;
import cleave.frontend.protocol.odata.QueryString;
import cleave.frontend.protocol.odata.ResourceAddress;

/**
 * An admitted request: its sender is authenticated, and its operation is known. Immutable.
 *
 * @param grant of its sender
 * @param formats of its payloads
 * @param beganNanos when its head was received
 * @param deadlineNanos on the same clock
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
        long deadlineNanos) {
    public String account() {
        return address.account();
    }
}
