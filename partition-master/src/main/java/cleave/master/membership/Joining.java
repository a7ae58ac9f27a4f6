package cleave.master.membership;

import cleave.master.membership.GroupMembership.Phase;
import cleave.master.settings.MasterConfig.Peer;
import cleave.master.settings.MasterSelf;
import cleave.model.ClusterId;
import cleave.runtime.loop.EventLoop;
import cleave.wire.ErrorCode;
import cleave.wire.JoinReply;
import cleave.wire.JoinRequest;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes this master a member of an existing cluster, at the request of another master: as one of its founders, or added
 * by its leader. {@link #join} is thread-safe; everything else is confined to the master loop.
 *
 * <p>Invariant: a master joins only the cluster to which its DFS belongs, only under its own id, and never two
 * clusters. A master that is added has a new name in the group, so no member relies on a log that it has lost.
 */
public final class Joining {
    private static final Logger LOG = LoggerFactory.getLogger(Joining.class);

    private final EventLoop loop;
    private final OwnMembership own;
    private final Founding founding;
    private final MasterGroup group;
    private final ClusterFiles files;
    private final Supplier<ClusterId> ids;

    /** @param ids gives ids that no cluster has */
    public Joining(
            EventLoop loop,
            OwnMembership own,
            Founding founding,
            MasterGroup group,
            ClusterFiles files,
            Supplier<ClusterId> ids) {
        this.loop = loop;
        this.own = own;
        this.founding = founding;
        this.group = group;
        this.files = files;
        this.ids = ids;
    }

    /** IllegalArgumentException if the request is malformed. */
    public CompletableFuture<JoinReply> join(JoinRequest request) {
        ClusterId cluster = new ClusterId(request.getCluster());
        List<Peer> founders = request.getMembersList().stream()
                .map(member -> new Peer(member.getId(), member.getRaft(), member.getRpc()))
                .toList();
        CompletableFuture<JoinReply> caller = new CompletableFuture<>();
        loop.submit(() -> own.alone(() -> decide(cluster, request, founders))
                .handle((nothing, failure) -> {
                    GroupMembership membership = own.current();
                    return JoinReply.newBuilder()
                            .setStatus(Refused.status(failure))
                            .setCluster(own.cluster())
                            .setMember(membership == null ? "" : membership.member())
                            .build();
                })
                .thenAccept(caller::complete));
        return caller;
    }

    private CompletableFuture<Void> decide(ClusterId cluster, JoinRequest request, List<Peer> founders) {
        loop.assertInside();
        GroupMembership current = own.current();
        String id = own.self().id();
        if (!request.getId().equals(id)) {
            return Refused.with(
                    ErrorCode.INVALID,
                    "this is master " + id + ", not " + request.getId()
                            + ": compare master.peers with each master's master.id and master.listen");
        }
        if (current != null && !current.cluster().equals(cluster)) {
            return Refused.with(
                    ErrorCode.ALREADY_EXISTS,
                    "master " + id + " is a member of cluster " + current.cluster() + " and cannot join cluster "
                            + cluster + "; its folder is " + own.self().folder());
        }
        return founders.isEmpty() ? add(cluster, request, current) : found(cluster, founders, current);
    }

    /** Joins as a founder, notified by another one. */
    private CompletableFuture<Void> found(ClusterId cluster, List<Peer> founders, @Nullable GroupMembership current) {
        loop.assertInside();
        if (current != null) {
            return CompletableFuture.completedFuture(null);
        }
        if (!byId(founders).equals(byId(own.self().peers()))) {
            return Refused.with(
                    ErrorCode.INVALID,
                    "the cluster is founded with " + texts(founders) + ", but setting master.peers of master "
                            + own.self().id() + " is " + texts(own.self().peers()));
        }
        return ofSameDfs(cluster, () -> founding.join(cluster));
    }

    /** Joins as a new member, added by the leader. */
    private CompletableFuture<Void> add(ClusterId cluster, JoinRequest request, @Nullable GroupMembership current) {
        loop.assertInside();
        String refusal = refusalToBeAdded(cluster, request);
        if (refusal != null) {
            return Refused.with(ErrorCode.INVALID, refusal);
        }
        if (current == null) {
            return ofSameDfs(cluster, () -> own.takePart(added(cluster)));
        }
        if (request.getBesideCount() == 0) {
            return Refused.with(
                    ErrorCode.ALREADY_EXISTS,
                    "master " + own.self().id() + " is a member of cluster " + cluster + " already");
        }
        if (request.getBesideList().contains(current.member())) {
            return CompletableFuture.completedFuture(null);
        }
        long term = group.term();
        if (term > request.getTerm()) {
            return Refused.with(
                    ErrorCode.UNAVAILABLE,
                    "a leader of term " + request.getTerm() + " asks master "
                            + own.self().id() + " to join, which knows term " + term);
        }
        LOG.warn(
                "this master joins anew, because the leader does not count its old membership member={} leader={}",
                current.member(),
                request);
        return own.leave().thenCompose(nothing -> ofSameDfs(cluster, () -> own.takePart(added(cluster))));
    }

    /** Why the request is invalid; null if it is valid. */
    private @Nullable String refusalToBeAdded(ClusterId cluster, JoinRequest request) {
        MasterSelf self = own.self();
        if (request.getLevel() != 0 && !self.levels().contains(request.getLevel())) {
            return "cluster " + cluster + " is at feature level " + request.getLevel()
                    + ", but the version of master " + self.id() + " supports " + self.levels()
                    + ": start it with the version of the others";
        }
        if (!request.getRaft().isEmpty() && !portOf(request.getRaft()).equals(portOf(self.raft()))) {
            return "the others would look for the Raft service of master " + self.id() + " at " + request.getRaft()
                    + ", but its own settings place it at " + self.raft();
        }
        return null;
    }

    private static String portOf(String address) {
        return address.substring(address.lastIndexOf(':') + 1);
    }

    /** A member that the leader adds votes only once it has the whole log. */
    private GroupMembership added(ClusterId cluster) {
        return new GroupMembership(
                cluster, own.self().id(), Phase.FOUNDING, ids.get().text(), List.of(), List.of());
    }

    private CompletableFuture<Void> ofSameDfs(ClusterId cluster, Supplier<CompletableFuture<Void>> joining) {
        return own.inside(files.identity(), "the DFS cannot be read").thenCompose(found -> {
            if (found.isPresent() && found.get().cluster().equals(cluster)) {
                LOG.info("this master joins cluster={}", cluster);
                return joining.get();
            }
            String held = found.map(identity -> "keeps the files of cluster " + identity)
                    .orElse("belongs to no cluster");
            return Refused.with(
                    ErrorCode.INVALID,
                    "master " + own.self().id() + " cannot join cluster " + cluster + ": the DFS in its setting dfs "
                            + held);
        });
    }

    private static List<Peer> byId(List<Peer> peers) {
        return peers.stream().sorted(Comparator.comparing(Peer::id)).toList();
    }

    private static String texts(List<Peer> peers) {
        return String.join(",", peers.stream().map(Peer::text).toList());
    }
}
