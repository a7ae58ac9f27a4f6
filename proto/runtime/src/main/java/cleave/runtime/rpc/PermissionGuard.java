package cleave.runtime.rpc;

import cleave.runtime.tls.PeerRole;
import io.grpc.Attributes;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerTransportFilter;
import io.grpc.Status;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.Collections;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Refuses calls that the certificate of the caller does not permit, by {@link Permissions}. Thread-safe. A certificate is read once per
 * connection. A refusal is logged once per connection, too: the peer has a certificate of ours, and is misconfigured or stolen.
 */
final class PermissionGuard extends ServerTransportFilter implements ServerInterceptor {
    private static final Logger LOG = LoggerFactory.getLogger(PermissionGuard.class);
    private static final Attributes.Key<Peer> PEER = Attributes.Key.create("cleave-peer");

    private record Peer(Set<PeerRole> roles, String subject, AtomicBoolean wasRefused) {}

    @Override
    public Attributes transportReady(Attributes attributes) {
        return attributes.toBuilder()
                .set(PEER, peer(attributes.get(Grpc.TRANSPORT_ATTR_SSL_SESSION)))
                .build();
    }

    private static Peer peer(SSLSession session) {
        try {
            Certificate[] chain = session == null ? new Certificate[0] : session.getPeerCertificates();
            if (chain.length > 0 && chain[0] instanceof X509Certificate own) {
                return new Peer(PeerRole.of(own), own.getSubjectX500Principal().getName(), new AtomicBoolean());
            }
        } catch (SSLPeerUnverifiedException unverified) {
            LOG.debug("peer presented no certificate", unverified);
        }
        return new Peer(Set.of(), "nobody", new AtomicBoolean());
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        Peer peer = call.getAttributes().get(PEER);
        String method = call.getMethodDescriptor().getFullMethodName();
        Set<PeerRole> callers = Permissions.callers(method);
        if (peer != null && !Collections.disjoint(peer.roles, callers)) {
            return next.startCall(call, headers);
        }
        Refusals.count();
        String why = method + " is for the roles " + callers + ", and the caller's certificate for "
                + (peer == null ? Set.of() : peer.roles);
        if (peer == null || !peer.wasRefused.getAndSet(true)) {
            LOG.warn("call refused peer={} reason={}", peer == null ? "nobody" : peer.subject, why);
        }
        return PeerHandshake.refuse(call, Status.PERMISSION_DENIED.withDescription(why));
    }
}
