package cleave.runtime.tls;

import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The role of a process by its certificate: a subject alternative name that is the URI
 * {@code spiffe://TRUST-DOMAIN/cleave/ROLE}. The trust domain is ignored, because the authority is trusted. A certificate may name several
 * roles; one without such a name has none.
 */
public enum PeerRole {
    MASTER("master"),
    SERVER("server"),
    FRONT_END("front-end"),
    DFS("dfs"),
    /** An operator's command line. */
    ADMIN("admin"),
    /** One who watches a cluster and changes nothing: its board, and commands that only read. */
    VIEWER("viewer");

    private static final Pattern URI = Pattern.compile("spiffe://[A-Za-z0-9._-]+/cleave/([a-z-]+)");
    /** In a certificate's list of alternative names. */
    private static final Integer KIND_OF_URI = 6;

    private final String word;

    PeerRole(String word) {
        this.word = word;
    }

    /** The last segment of the URI. */
    public String word() {
        return word;
    }

    /** The roles in a certificate. */
    public static Set<PeerRole> of(X509Certificate certificate) {
        EnumSet<PeerRole> roles = EnumSet.noneOf(PeerRole.class);
        Collection<List<?>> names;
        try {
            names = certificate.getSubjectAlternativeNames();
        } catch (CertificateParsingException malformed) {
            return roles;
        }
        for (List<?> name : names == null ? List.<List<?>>of() : names) {
            Matcher uri = URI.matcher(String.valueOf(name.get(1)));
            if (KIND_OF_URI.equals(name.get(0)) && uri.matches()) {
                for (PeerRole role : values()) {
                    if (role.word.equals(uri.group(1))) {
                        roles.add(role);
                    }
                }
            }
        }
        return roles;
    }

    @Override
    public String toString() {
        return word;
    }
}
