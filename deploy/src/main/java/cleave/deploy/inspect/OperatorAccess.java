package cleave.deploy.inspect;

import cleave.runtime.rpc.Caller;
import cleave.runtime.rpc.DialledName;
import cleave.runtime.tls.PeerRole;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import java.net.InetAddress;
import java.security.cert.X509Certificate;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a request to the admin port is an operator's. Stateless.
 *
 * <p>An operator shows a certificate for the role admin, or calls from this machine. Three kinds of strangers may look as if they did the
 * latter: a page in a browser of this machine that sends a request of its own ({@code Origin}, {@code Sec-Fetch-Site}, and the header that a
 * form cannot send), one whose name was made to resolve to this machine ({@code Host}), and anybody behind a proxy on this machine, as far
 * as that says so.
 */
public final class OperatorAccess {
    /** Who the caller says that it is. A change needs it: a page in a browser cannot send it without being permitted to. */
    public static final String HEADER = "Cleave-Operator";

    private static final List<String> FORWARDED =
            List.of("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP", "Via");

    private OperatorAccess() {}

    /**
     * The request, as far as it counts here.
     *
     * @param from the address of the caller
     * @param certificate that the caller has shown and that was verified; null without TLS
     * @param isChange it may change something, so it must not be a browser's
     * @param listen the host that the port was told to listen on
     */
    public record Asked(
            InetAddress from,
            @Nullable X509Certificate certificate,
            boolean isChange,
            HttpHeaders headers,
            String listen) {}

    /**
     * The caller, and why it is refused.
     *
     * @param refusal for the caller; empty if it is an operator
     */
    public record Decision(Caller caller, String refusal) {
        public boolean isAllowed() {
            return refusal.isEmpty();
        }
    }

    public static Decision judge(Asked asked) {
        String told = asked.headers.get(HEADER, "");
        X509Certificate certificate = asked.certificate;
        Caller caller = certificate == null
                ? Caller.without(asked.from.isLoopbackAddress(), told)
                : Caller.of(certificate, told);
        return new Decision(caller, refusal(asked, caller));
    }

    private static String refusal(Asked asked, Caller caller) {
        if (asked.certificate != null && !caller.roles().contains(PeerRole.ADMIN)) {
            return "this needs a certificate for the role admin, and the caller's is for " + caller.roles();
        }
        if (asked.certificate == null && !asked.from.isLoopbackAddress()) {
            return "this is served on the machine itself, or over TLS with a certificate for the role admin"
                    + " (https://, where the process has the setting tls)";
        }
        String site = asked.headers.get("Sec-Fetch-Site", "none");
        if (asked.headers.contains(HttpHeaderNames.ORIGIN) || !site.equals("none")) {
            return "this is not served to pages in browsers";
        }
        if (asked.certificate == null) {
            for (String header : FORWARDED) {
                if (asked.headers.contains(header)) {
                    return "the request came through a proxy (" + header
                            + "), so its sender may be anybody; ask the port directly, or with a certificate for the role admin";
                }
            }
            DialledName name = new DialledName(InetAddress.getLoopbackAddress(), asked.listen);
            for (String host : asked.headers.getAll(HttpHeaderNames.HOST)) {
                if (!name.isDialled(host)) {
                    return "a request from this machine names it by an address, or localhost";
                }
            }
        }
        return asked.isChange && caller.told().isEmpty()
                ? "a change needs the header " + HEADER + ", with who you are: curl -H '" + HEADER + ": NAME' ..."
                : "";
    }
}
