package cleave.runtime.rpc;

import cleave.runtime.tls.PeerRole;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/**
 * Who asks a process for something: what is known of the caller, and what it says of itself. Immutable.
 *
 * @param name the subject of its certificate, or else one of the certificate's alternative names; {@value #LOOPBACK} or
 *     {@value #NETWORK} for one without a certificate
 * @param roles of its certificate
 * @param told what it says of itself, such as {@code alice@laptop}; nobody has verified it. Empty: nothing
 */
public record Caller(String name, Set<PeerRole> roles, String told) {
    /** The name of a caller on this machine without a certificate. */
    public static final String LOOPBACK = "loopback";

    /** The name of a caller on another machine without a certificate. */
    public static final String NETWORK = "network";

    /** A name or what is told is no longer than this; more is cut off. */
    public static final int TEXT_MAX = 128;

    public Caller {
        name = printable(name);
        roles = Set.copyOf(roles);
        told = printable(told);
    }

    /** The holder of a certificate. */
    public static Caller of(X509Certificate certificate, String told) {
        return new Caller(nameOf(certificate), PeerRole.of(certificate), told);
    }

    /** A caller without a certificate. */
    public static Caller without(boolean isOnThisMachine, String told) {
        return new Caller(isOnThisMachine ? LOOPBACK : NETWORK, Set.of(), told);
    }

    /** The subject; certificates of workloads often have none, and then an alternative name, those that are URIs first. */
    private static String nameOf(X509Certificate certificate) {
        String subject = certificate.getSubjectX500Principal().getName();
        if (!subject.isEmpty()) {
            return subject;
        }
        String found = "a certificate without a name";
        try {
            Collection<List<?>> names = certificate.getSubjectAlternativeNames();
            for (List<?> name : names == null ? List.<List<?>>of() : names) {
                found = String.valueOf(name.get(1));
                if (found.contains("://")) {
                    return found;
                }
            }
        } catch (CertificateParsingException malformed) {
            return found;
        }
        return found;
    }

    /** One line of ASCII, so that nobody writes lines of their own into a log or onto a terminal. */
    private static String printable(String text) {
        StringBuilder out = new StringBuilder();
        text.codePoints().limit(TEXT_MAX).forEach(each -> out.append(each >= ' ' && each <= '~' ? (char) each : '?'));
        return out.toString().strip();
    }

    /** For people: {@code CN=alice}, or {@code loopback (unverified: alice@laptop)}. */
    @Override
    public String toString() {
        return told.isEmpty() ? name : name + " (unverified: " + told + ")";
    }
}
