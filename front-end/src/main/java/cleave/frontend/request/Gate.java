package cleave.frontend.request;

import cleave.frontend.protocol.auth.Authenticator;
import cleave.frontend.protocol.auth.Grant;
import cleave.frontend.protocol.auth.SignedRequest;
import cleave.frontend.protocol.odata.AddressStyle;
import cleave.frontend.protocol.odata.BaseUri;
import cleave.frontend.protocol.odata.Headers;
import cleave.frontend.protocol.odata.Method;
import cleave.frontend.protocol.odata.MethodOverride;
import cleave.frontend.protocol.odata.ProtocolVersion;
import cleave.frontend.protocol.odata.QueryOptions;
import cleave.frontend.protocol.odata.QueryString;
import cleave.frontend.protocol.odata.ResourceAddress;
import cleave.frontend.protocol.odata.ServiceCode;
import cleave.frontend.protocol.odata.ServiceError;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Decides from its head whether a request is admitted. Immutable. A refusal costs no memory for a body and no call to a range.
 *
 * <p>Invariant I10: every malformed head is answered with an error.
 */
public final class Gate {
    private final Authenticator authenticator;
    private final List<String> hostSuffixes;
    private final long timeoutNanos;

    /** @param hostSuffixes without a leading dot, in lower case */
    public Gate(Authenticator authenticator, List<String> hostSuffixes, long timeoutNanos) {
        this.authenticator = authenticator;
        this.hostSuffixes = List.copyOf(hostSuffixes);
        this.timeoutNanos = timeoutNanos;
    }

    /** Admits the request, or throws the error to answer with. */
    public AdmittedRequest admit(Request request, long nowNanos, long nowTicks) {
        Headers headers = request.headers();
        String host = host(headers);
        ResourceAddress written = ResourceAddress.parse(request.rawPath(), host, style(host));
        QueryString query = QueryString.parse(request.rawQuery());
        Grant grant = authenticator.authenticate(signed(request, written, query), nowTicks);
        ProtocolVersion.check(headers, query);
        Method method = MethodOverride.resolve(request.verb(), headers);
        ResourceAddress address = written.meantBy(method);
        Operation operation = Operation.of(method, address.resource(), query);
        Rights.check(grant, operation, address.resource(), headers);
        checkEndpoint(operation, address.secondary());
        long timeout = Math.min(timeoutNanos, TimeUnit.SECONDS.toNanos(QueryOptions.timeoutSeconds(query)));
        BaseUri base = BaseUri.of(request.scheme(), host, address);
        return new AdmittedRequest(
                request,
                grant,
                address,
                base,
                query,
                method,
                operation,
                PayloadFormats.of(request, nowTicks),
                nowNanos,
                nowNanos + timeout,
                null);
    }

    private static SignedRequest signed(Request request, ResourceAddress address, QueryString query) {
        return new SignedRequest(
                request.id(),
                request.verb(),
                request.rawPath(),
                query,
                address.account(),
                isSecure(request),
                request.client(),
                request.headers());
    }

    /** The account that a request addresses, whether or not it is signed. Refuses an account that is not served. */
    public String account(Request request) {
        String host = host(request.headers());
        String account =
                ResourceAddress.parse(request.rawPath(), host, style(host)).account();
        if (!authenticator.serves(account)) {
            throw ServiceError.of(ServiceCode.CORS_PREFLIGHT_FAILURE);
        }
        return account;
    }

    /** The account that a preflight addresses. Refuses an unknown account, and one that requires HTTPS. */
    public String preflighted(Request request) {
        String account = account(request);
        authenticator.checkServed(account, isSecure(request));
        return account;
    }

    private static boolean isSecure(Request request) {
        return request.scheme().equals("https");
    }

    /**
     * The secondary endpoint is read-only, and the only one with statistics. Whether a batch only reads is known after its body was
     * received.
     */
    private static void checkEndpoint(Operation operation, boolean secondary) {
        if (secondary && !operation.isRead() && operation != Operation.TRANSACTION) {
            throw readOnly();
        }
        if (!secondary && operation == Operation.GET_STATS) {
            throw ServiceError.of(ServiceCode.INVALID_QUERY_PARAMETER_VALUE);
        }
    }

    public static ServiceError readOnly() {
        return ServiceError.of(
                ServiceCode.INSUFFICIENT_ACCOUNT_PERMISSIONS,
                "Write operations to the secondary location are not allowed.");
    }

    private static String host(Headers headers) {
        List<String> hosts = headers.all("Host");
        if (hosts.isEmpty() || hosts.get(0).isEmpty()) {
            throw ServiceError.of(ServiceCode.HOST_INFORMATION_NOT_PRESENT);
        }
        String host = hosts.get(0);
        if (hosts.size() > 1 || host.length() > 255 || !isHost(host)) {
            throw ServiceError.of(ServiceCode.INVALID_HEADER_VALUE);
        }
        return host;
    }

    private static boolean isHost(String host) {
        for (int i = 0; i < host.length(); i++) {
            if (!mayStandInHost(host.charAt(i))) {
                return false;
            }
        }
        return true;
    }

    private static boolean mayStandInHost(char unit) {
        return (unit >= '0' && unit <= '9')
                || (unit >= 'a' && unit <= 'z')
                || (unit >= 'A' && unit <= 'Z')
                || ".-_:[]%".indexOf(unit) >= 0;
    }

    private AddressStyle style(String host) {
        int colon = host.lastIndexOf(':');
        String name = (colon < 0 ? host : host.substring(0, colon)).toLowerCase(Locale.ROOT);
        for (String suffix : hostSuffixes) {
            if (name.endsWith("." + suffix)) {
                return AddressStyle.HOST;
            }
        }
        return AddressStyle.PATH;
    }
}
