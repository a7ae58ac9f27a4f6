package cleave.master.raft;

import cleave.master.membership.GroupMembership;
import cleave.master.metrics.RaftFigures;
import cleave.master.settings.MasterConfig;
import cleave.model.KnownMasters;
import cleave.runtime.rpc.Advertised;
import cleave.wire.MasterPeer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.ratis.proto.RaftProtos.RoleInfoProto;
import org.apache.ratis.proto.RaftProtos.ServerRpcProto;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.DivisionInfo;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServer.Division;
import org.apache.ratis.util.ProtoUtils;
import org.jspecify.annotations.Nullable;

/**
 * This master's participation in a Raft group, until it leaves or the process ends, and what Ratis knows of the other
 * members. Thread-safe.
 *
 * @param selfRpc address of this master's own gRPC services
 */
record RaftPart(
        MasterConfig config,
        String selfRpc,
        RaftServer server,
        Division division,
        MasterStateMachine machine,
        GroupMembership membership) {
    private static final long HEARD_MILLIS_MAX = 3_000;

    DivisionInfo info() {
        return division.getInfo();
    }

    /** The term in which this member leads and has applied all that came before; 0 if it does not lead. */
    long leaderTerm() {
        return info().isLeader() && info().isLeaderReady() ? info().getCurrentTerm() : 0;
    }

    RaftGroupId group() {
        return division.getGroup().getGroupId();
    }

    String member() {
        return membership.member();
    }

    Collection<RaftPeer> members() {
        return division.getRaftConf().getAllPeers();
    }

    /** The members by their names in the group. */
    TreeMap<String, RaftPeer> membersByName() {
        TreeMap<String, RaftPeer> members = new TreeMap<>();
        members().forEach(peer -> members.put(peer.getId().toString(), peer));
        return members;
    }

    /** Address of the leader's gRPC services; empty if it is not known. */
    String leaderAddress() {
        RaftPeerId leader = info().getLeaderId();
        if (leader == null) {
            return "";
        }
        RaftPeer peer = division.getRaftConf().getPeer(leader);
        return rpcAddress(leader.toString(), peer == null ? "" : peer.getClientAddress());
    }

    /** From the newest applied configuration. Until one is applied after a start, the members have no version. */
    KnownMasters masters() {
        MasterStateMachine.Configuration applied = machine.configuration();
        List<String> addresses = new ArrayList<>();
        applied.rpcAddresses().forEach((member, address) -> addresses.add(rpcAddress(member, address)));
        if (addresses.isEmpty()) {
            members().forEach(peer -> addresses.add(rpcAddress(peer.getId().toString(), peer.getClientAddress())));
        }
        return new KnownMasters(leaderAddress(), applied.index(), addresses);
    }

    /** A port chosen at the start differs after each start; older versions recorded wildcards. */
    private String rpcAddress(String member, @Nullable String known) {
        boolean isOwn = member.equals(member());
        if (isOwn && (config.listen().endsWith(":0") || (known != null && Advertised.isWildcard(known)))) {
            return selfRpc;
        }
        return known == null || known.isEmpty() ? (isOwn ? selfRpc : "") : known;
    }

    RaftFigures figures(int pending) {
        RoleInfoProto role = info().getRoleInfoProto();
        Map<String, Long> silences = new TreeMap<>();
        for (ServerRpcProto follower : role.getLeaderInfo().getFollowerInfoList()) {
            silences.put(follower.getId().getId().toStringUtf8(), follower.getLastRpcElapsedTimeMs());
        }
        if (role.hasFollowerInfo() && role.getFollowerInfo().hasLeaderInfo()) {
            ServerRpcProto leader = role.getFollowerInfo().getLeaderInfo();
            silences.put(leader.getId().getId().toStringUtf8(), leader.getLastRpcElapsedTimeMs());
        }
        List<RaftFigures.Member> others = new ArrayList<>();
        for (MasterPeer peer : peers()) {
            Long silent = silences.get(peer.getMember());
            if (silent != null) {
                others.add(
                        new RaftFigures.Member(peer.getMember(), role.hasLeaderInfo() ? peer.getBehind() : -1, silent));
            }
        }
        return new RaftFigures(
                membership.cluster().text(),
                info().getCurrentTerm(),
                division.getRaftLog().getLastCommittedIndex(),
                info().getLastAppliedIndex(),
                pending,
                others);
    }

    /** All members, including those that still catch up before they join. */
    List<MasterPeer> peers() {
        RoleInfoProto role = info().getRoleInfoProto();
        Map<String, String> roles = roles(role);
        Map<String, Long> committed = new TreeMap<>();
        division.getCommitInfos()
                .forEach(info -> committed.put(info.getServer().getId().toStringUtf8(), info.getCommitIndex()));
        TreeMap<String, RaftPeer> known = membersByName();
        for (ServerRpcProto follower : role.getLeaderInfo().getFollowerInfoList()) {
            RaftPeer peer = ProtoUtils.toRaftPeer(follower.getId());
            if (known.putIfAbsent(peer.getId().toString(), peer) == null) {
                roles.put(peer.getId().toString(), "JOINING");
            }
        }
        long newest = committed.getOrDefault(member(), -1L);
        List<MasterPeer> peers = new ArrayList<>();
        known.forEach((member, peer) -> {
            long behind = newest - committed.getOrDefault(member, newest + 1);
            peers.add(MasterPeer.newBuilder()
                    .setId(GroupMembership.idOf(member))
                    .setMember(member)
                    .setAddress(rpcAddress(member, peer.getClientAddress()))
                    .setRaft(known.size() == 1 ? ownRaft(config, peer.getAddress()) : peer.getAddress())
                    .setRole(roles.getOrDefault(member, "UNKNOWN"))
                    .setBehind(Math.max(-1, behind))
                    .build());
        });
        return peers;
    }

    /**
     * The address at which others find the only member. Its log may name another port, which no other member needed, or
     * a wildcard if an earlier version founded the group.
     */
    static String ownRaft(MasterConfig config, String recorded) {
        boolean isOutdated = MasterConfig.port(recorded) != MasterConfig.port(config.raftListen());
        return isOutdated || Advertised.isWildcard(recorded) ? config.self().raft() : recorded;
    }

    /** The roles of this member and of those that it hears: a leader hears followers, a follower its leader. */
    private Map<String, String> roles(RoleInfoProto role) {
        Map<String, String> roles = new TreeMap<>();
        roles.put(member(), role.getRole().name());
        if (role.hasLeaderInfo()) {
            for (ServerRpcProto follower : role.getLeaderInfo().getFollowerInfoList()) {
                if (follower.getLastRpcElapsedTimeMs() < HEARD_MILLIS_MAX) {
                    roles.put(follower.getId().getId().toStringUtf8(), "FOLLOWER");
                }
            }
        }
        if (role.hasFollowerInfo() && role.getFollowerInfo().hasLeaderInfo()) {
            ServerRpcProto leader = role.getFollowerInfo().getLeaderInfo();
            if (leader.hasId() && leader.getLastRpcElapsedTimeMs() < HEARD_MILLIS_MAX) {
                roles.put(leader.getId().getId().toStringUtf8(), "LEADER");
            }
        }
        return roles;
    }
}
