package cleave.dfs.bookkeeper;

import cleave.runtime.tls.PeerRole;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;
import org.apache.bookkeeper.auth.AuthCallbacks;
import org.apache.bookkeeper.auth.AuthToken;
import org.apache.bookkeeper.auth.BookKeeperPrincipal;
import org.apache.bookkeeper.auth.BookieAuthProvider;
import org.apache.bookkeeper.client.BKException;
import org.apache.bookkeeper.conf.ServerConfiguration;
import org.apache.bookkeeper.proto.BookieConnectionPeer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets a bookie execute requests only over TLS, and only for processes whose certificates are for a role that uses files. Without it, a
 * bookie that has TLS still serves clients that do not ask for TLS. Made by the bookie, from the class name. Immutable.
 */
final class PeersOnly implements BookieAuthProvider.Factory {
    private static final Logger LOG = LoggerFactory.getLogger(PeersOnly.class);

    /** Bookies and autorecovery have certificates of {@link PeerRole#DFS}. */
    private static final Set<PeerRole> USERS =
            EnumSet.of(PeerRole.MASTER, PeerRole.SERVER, PeerRole.DFS, PeerRole.ADMIN);

    @Override
    public void init(ServerConfiguration settings) {}

    @Override
    public String getPluginName() {
        return "cleave-peers-only";
    }

    @Override
    public BookieAuthProvider newProvider(BookieConnectionPeer peer, AuthCallbacks.GenericCallback<Void> done) {
        return new BookieAuthProvider() {
            @Override
            public void onProtocolUpgrade() {
                if (isPermitted(peer.getProtocolPrincipals())) {
                    peer.setAuthorizedId(BookKeeperPrincipal.ANONYMOUS);
                    done.operationComplete(BKException.Code.OK, null);
                } else {
                    LOG.warn(
                            "peer refused, its certificate is for no role that uses files peer={}",
                            peer.getRemoteAddr());
                    done.operationComplete(BKException.Code.UnauthorizedAccessException, null);
                    peer.disconnect();
                }
            }

            @Override
            public void process(AuthToken token, AuthCallbacks.GenericCallback<AuthToken> answer) {
                answer.operationComplete(BKException.Code.UnauthorizedAccessException, null);
            }
        };
    }

    /** @param chain the peer's own certificate first */
    private static boolean isPermitted(Collection<Object> chain) {
        Object own = chain.isEmpty() ? null : chain.iterator().next();
        return own instanceof X509Certificate certificate && !Collections.disjoint(PeerRole.of(certificate), USERS);
    }
}
