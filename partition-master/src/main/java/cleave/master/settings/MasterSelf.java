package cleave.master.settings;

import cleave.master.settings.MasterConfig.Peer;
import cleave.master.state.BalancerSettings;
import cleave.model.FeatureLevels;
import java.util.List;

/**
 * The settings of a master on which its core depends. Immutable.
 *
 * @param folder the folder of its log, for messages
 * @param peers all masters named by its settings, including itself
 * @param clockSkewNanos a server whose clock differs by more is not admitted
 * @param seed the balancer's settings, where none are replicated yet
 * @param levels the feature levels that it supports
 * @param levelAllowed the highest to which the cluster's level may be raised
 */
public record MasterSelf(
        String id,
        String folder,
        List<Peer> peers,
        MasterTiming timing,
        long clockSkewNanos,
        BalancerSettings seed,
        FeatureLevels levels,
        int levelAllowed) {
    public MasterSelf {
        peers = List.copyOf(peers);
    }

    public List<String> peerIds() {
        return peers.stream().map(Peer::id).toList();
    }

    /** The address of its Raft service in its settings; empty if they do not name it. */
    public String raft() {
        return peers.stream()
                .filter(peer -> peer.id().equals(id))
                .map(Peer::raft)
                .findFirst()
                .orElse("");
    }
}
