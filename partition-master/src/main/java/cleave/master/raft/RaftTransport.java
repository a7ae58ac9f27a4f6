package cleave.master.raft;

import cleave.runtime.rpc.Transport;
import cleave.runtime.tls.PeerRole;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.grpc.GrpcConfigKeys;
import org.apache.ratis.grpc.GrpcFactory;
import org.apache.ratis.grpc.GrpcTlsConfig;
import org.apache.ratis.grpc.server.GrpcLogAppender;
import org.apache.ratis.rpc.RpcType;
import org.apache.ratis.server.RaftServer.Division;
import org.apache.ratis.server.leader.FollowerInfo;
import org.apache.ratis.server.leader.LeaderState;
import org.apache.ratis.server.leader.LogAppender;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.thirdparty.io.netty.handler.ssl.SslProvider;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ratis over gRPC with a leader that accepts that a follower has lost its log. Stateless; Ratis creates it by class
 * name.
 *
 * <p>A Ratis leader never resends what a follower once acknowledged, even if the follower answers that it lacks it. A
 * follower whose folder was replaced by an older copy would therefore get neither entries nor a snapshot until another
 * leader is elected. Here the leader then forgets the acknowledgements, as a newly elected leader would, and no longer
 * counts them when it commits. Forgetting too much is safe, because the follower acknowledges again.
 */
public final class RaftTransport implements RpcType {
    private static final Logger LOG = LoggerFactory.getLogger(RaftTransport.class);

    @Override
    public String name() {
        return RaftTransport.class.getName();
    }

    @Override
    public GrpcFactory newFactory(Parameters parameters) {
        return new GrpcFactory(parameters) {
            @Override
            public LogAppender newLogAppender(Division server, LeaderState leader, FollowerInfo follower) {
                return new Appender(server, leader, follower);
            }
        };
    }

    /** Peers use this transport and trust masters only; each handshake gets the current certificates from it. */
    static void secure(Parameters parameters, Transport transport) {
        X509ExtendedKeyManager keys = transport.keys();
        X509ExtendedTrustManager trust = transport.trust(PeerRole.MASTER);
        if (keys != null && trust != null) {
            GrpcConfigKeys.TLS.setConf(
                    parameters,
                    new GrpcTlsConfig.Builder()
                            .setKeyManager(keys)
                            .setTrustManager(trust)
                            .setMutualTls(true)
                            .setSslProvider(SslProvider.JDK)
                            .setProtocols(Transport.PROTOCOLS)
                            .build());
        }
    }

    private static final class Appender extends GrpcLogAppender {
        Appender(Division server, LeaderState leader, FollowerInfo follower) {
            super(server, leader, follower);
        }

        /** @param wanted the first entry that the follower lacks */
        @Override
        protected long getNextIndexForInconsistency(long requested, long wanted) {
            FollowerInfo follower = getFollower();
            long acknowledged = follower.getMatchIndex();
            if (wanted <= acknowledged) {
                RaftTransport.LOG.warn( // Hides the inherited logger of Ratis.
                        "follower lacks what it acknowledged follower={} acknowledged={} wanted={}",
                        follower.getId(),
                        acknowledged,
                        wanted);
                // The only way to lower the match index; the caller sets the next index from the returned value.
                follower.setSnapshotIndex(RaftLog.INVALID_LOG_INDEX);
            }
            return super.getNextIndexForInconsistency(requested, wanted);
        }
    }
}
