package cleave.master.membership;

import cleave.master.membership.GroupMembership.Phase;
import cleave.master.settings.MasterConfig.Peer;
import cleave.model.ClusterId;
import cleave.model.ClusterIdentity;
import cleave.runtime.loop.EventLoop;
import cleave.wire.ErrorCode;
import cleave.wire.FoundReply;
import cleave.wire.GroupMember;
import cleave.wire.JoinReply;
import cleave.wire.JoinRequest;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Founds a cluster, whose members are the masters that the settings name. {@link #found} is thread-safe; everything
 * else is confined to the master loop.
 *
 * <p>Invariant: a DFS belongs to one cluster forever. The founder first writes the new id to its folder, then makes it the identity
 * of the DFS, where only one identity can win, and only then becomes a member. If it ends in between, the same request continues.
 *
 * <p>Invariant: a founder starts with one folder only. It notes a random token in the DFS; a master that finds another
 * token there has started before with a folder that it has lost, and must be replaced.
 */
public final class Founding {
    private static final Logger LOG = LoggerFactory.getLogger(Founding.class);

    private static final long MEET_NANOS = 2_000_000_000L;

    private final EventLoop loop;
    private final OwnMembership own;
    private final ClusterFiles files;
    private final MasterCalls calls;
    private final Supplier<ClusterId> ids;

    /** @param ids supplies new cluster ids */
    public Founding(EventLoop loop, OwnMembership own, ClusterFiles files, MasterCalls calls, Supplier<ClusterId> ids) {
        this.loop = loop;
        this.own = own;
        this.files = files;
        this.calls = calls;
        this.ids = ids;
    }

    /**
     * Founds a cluster, or continues a founding that was interrupted.
     *
     * @param resume the cluster whose founder is lost; null for a new one
     */
    public CompletableFuture<FoundReply> found(@Nullable ClusterId resume) {
        CompletableFuture<FoundReply> caller = new CompletableFuture<>();
        loop.submit(() -> {
            GroupMembership before = own.current();
            boolean already = before != null && before.awaited().isEmpty();
            own.alone(() -> begin(resume))
                    .handle((nothing, failure) -> FoundReply.newBuilder()
                            .setStatus(Refused.status(failure))
                            .setCluster(own.cluster())
                            .setAlready(already)
                            .build())
                    .thenAccept(caller::complete);
        });
        return caller;
    }

    private CompletableFuture<Void> begin(@Nullable ClusterId resume) {
        GroupMembership membership = own.current();
        if (membership == null) {
            return own.inside(files.identity(), "the DFS cannot be read").thenCompose(found -> decide(resume, found));
        }
        return resume == null || resume.equals(membership.cluster())
                ? notifyFounders(new ArrayDeque<>(membership.awaited()), new ArrayList<>())
                : Refused.with(
                        ErrorCode.ALREADY_EXISTS,
                        "master " + own.self().id() + " is a member of cluster " + membership.cluster() + ", not of "
                                + resume);
    }

    private CompletableFuture<Void> decide(@Nullable ClusterId resume, Optional<ClusterIdentity> found) {
        GroupMembership intent = own.kept();
        ClusterId wanted = resume != null ? resume : intent != null ? intent.cluster() : null;
        if (found.isPresent() && !found.get().cluster().equals(wanted)) {
            return Refused.with(ErrorCode.ALREADY_EXISTS, belongsToAnother(found.get(), resume));
        }
        if (found.isEmpty() && resume != null) {
            return Refused.with(
                    ErrorCode.INVALID,
                    "the DFS belongs to no cluster, so cluster " + resume
                            + " was not founded on it: check setting dfs. To found a new cluster, leave out --resume");
        }
        if (found.isPresent() && resume == null) {
            return become(found.get().cluster()); // This master started it.
        }
        return own.inside(files.hasRanges(), "the DFS cannot be listed").thenCompose(hasRanges -> {
            if (hasRanges) {
                return Refused.with(ErrorCode.ALREADY_EXISTS, hasData(found));
            }
            return found.isPresent()
                    ? become(found.get().cluster())
                    : meet(new ArrayDeque<>(own.self().peers()), wanted, new ArrayList<>())
                            .thenCompose(nothing -> claim(wanted == null ? ids.get() : wanted));
        });
    }

    private static String belongsToAnother(ClusterIdentity found, @Nullable ClusterId resume) {
        String asked = resume == null ? "a new cluster" : "cluster " + resume;
        return asked + " cannot be founded: the DFS keeps the files of cluster " + found
                + ". To use that cluster, start its masters with their old folders. A new cluster needs another DFS"
                + " (setting dfs). If that founding was interrupted and its founder's disk is lost, continue it with"
                + " --resume " + found.cluster();
    }

    private static String hasData(Optional<ClusterIdentity> found) {
        return found.isPresent()
                ? "cluster " + found.get()
                        + " has files of ranges, so its founding did not end half-way. Start its masters"
                        + " with their old folders"
                : "no cluster can be founded: the DFS has files of ranges below ranges/ but no cluster identity."
                        + " A new cluster needs an empty DFS (setting dfs)";
    }

    /**
     * Nothing is written before every founder has answered under its own id and as one of no other cluster: one that is misspelt could
     * never become a member.
     */
    private CompletableFuture<Void> meet(ArrayDeque<Peer> awaited, @Nullable ClusterId wanted, List<Refused> failed) {
        Peer next = awaited.poll();
        if (next == null) {
            return failed.isEmpty() ? CompletableFuture.completedFuture(null) : notFounded(failed);
        }
        if (next.id().equals(own.self().id())) {
            return meet(awaited, wanted, failed);
        }
        String named = "master " + next.id() + " at " + next.rpc();
        return own.inside(calls.supportedLevels(next.rpc(), MEET_NANOS), "no answer")
                .handle((reply, failure) -> {
                    if (reply == null) {
                        failed.add(new Refused(
                                ErrorCode.UNAVAILABLE,
                                named + ": " + Refused.status(failure).getMessage()));
                    } else if (!reply.getMaster().equals(next.id())) {
                        failed.add(new Refused(
                                ErrorCode.INVALID, named + ": that address is of master " + reply.getMaster()));
                    } else if (isOfAnother(reply.getCluster(), wanted)) {
                        failed.add(new Refused(
                                ErrorCode.INVALID,
                                named + ": that address is of a member of cluster " + reply.getCluster()));
                    }
                    return reply;
                })
                .thenCompose(reply -> meet(awaited, wanted, failed));
    }

    /** @param cluster of a founder; empty if it is blank */
    private static boolean isOfAnother(String cluster, @Nullable ClusterId wanted) {
        return !cluster.isEmpty() && !(wanted != null && cluster.equals(wanted.text()));
    }

    private CompletableFuture<Void> notFounded(List<Refused> failed) {
        boolean isFinal = failed.stream().anyMatch(each -> isFinal(each.code()));
        return Refused.with(
                isFinal ? ErrorCode.INVALID : ErrorCode.UNAVAILABLE,
                "no cluster is founded: "
                        + String.join(
                                "; ", failed.stream().map(Refused::getMessage).toList())
                        + ". Start these masters, or correct setting master.peers of master "
                        + own.self().id());
    }

    /** Writes the folder first, so that this master recognises its own id in the DFS after any interruption. */
    private CompletableFuture<Void> claim(ClusterId cluster) {
        return own.keep(founder(cluster, others()))
                .thenCompose(nothing -> own.inside(
                        files.found(new ClusterIdentity(cluster, own.self().id())), "the DFS cannot be written"))
                .thenCompose(settled -> settled.cluster().equals(cluster)
                        ? become(cluster)
                        : Refused.with(ErrorCode.ALREADY_EXISTS, belongsToAnother(settled, null)));
    }

    /** Becomes the first member: the DFS belongs to this cluster, none of whose members has written anything. */
    private CompletableFuture<Void> become(ClusterId cluster) {
        return begin(founder(cluster, others())).thenCompose(nothing -> {
            LOG.info(
                    "cluster founded cluster={} members={}", cluster, own.self().peerIds());
            return notifyFounders(new ArrayDeque<>(others()), new ArrayList<>());
        });
    }

    private List<String> others() {
        return own.self().peerIds().stream()
                .filter(id -> !id.equals(own.self().id()))
                .toList();
    }

    /** Becomes a member of a cluster that another founder has founded. */
    CompletableFuture<Void> join(ClusterId cluster) {
        loop.assertInside();
        return begin(founder(cluster, List.of()).withAwaited(List.of()));
    }

    /**
     * The founder's membership. It keeps only the token of an intent in the folder: the founders that the intent names were not
     * notified, and the settings may have been corrected since.
     */
    private GroupMembership founder(ClusterId cluster, List<String> awaited) {
        GroupMembership kept = own.kept();
        if (kept != null && !kept.cluster().equals(cluster)) {
            kept = null;
        }
        if (kept != null && kept.isMember()) {
            return kept;
        }
        String token = kept == null ? ids.get().text() : kept.token();
        return new GroupMembership(
                cluster, own.self().id(), Phase.FOUNDING, token, own.self().peers(), awaited);
    }

    private CompletableFuture<Void> begin(GroupMembership founder) {
        return own.keep(founder)
                .thenCompose(
                        nothing -> own.inside(files.claim(founder.id(), founder.token()), "the DFS cannot be written"))
                .thenCompose(first -> first.equals(founder.token())
                        ? own.takePart(founder)
                        : Refused.with(
                                ErrorCode.ALREADY_EXISTS,
                                "master " + founder.id() + " was a member of cluster " + founder.cluster()
                                        + " before, with another folder than "
                                        + own.self().folder()
                                        + ". Set master.dir to that folder; if it is lost, replace this master"
                                        + " ('cleave admin masters replace')"));
    }

    /** Notifies the founders one by one; those that do not answer are notified when the request is repeated. */
    private CompletableFuture<Void> notifyFounders(ArrayDeque<String> awaited, List<Refused> failed) {
        GroupMembership membership = own.current();
        String next = awaited.poll();
        if (membership == null || next == null) {
            return failed.isEmpty() ? CompletableFuture.completedFuture(null) : incomplete(failed);
        }
        Peer peer = membership.founders().stream()
                .filter(each -> each.id().equals(next))
                .findFirst()
                .orElseThrow();
        JoinRequest.Builder request =
                JoinRequest.newBuilder().setCluster(membership.cluster().text()).setId(next);
        membership.founders().forEach(each -> request.addMembers(toWire(each)));
        return own.inside(calls.join(peer.rpc(), request.build()), "no answer")
                .thenApply(JoinReply::getStatus)
                .exceptionally(Refused::status)
                .thenCompose(answer -> {
                    if (answer.getCode() == ErrorCode.OK) {
                        List<String> left = membership.awaited().stream()
                                .filter(id -> !id.equals(next))
                                .toList();
                        return own.keep(membership.withAwaited(left))
                                .thenCompose(kept -> notifyFounders(awaited, failed));
                    }
                    failed.add(new Refused(
                            answer.getCode(), "master " + next + " at " + peer.rpc() + ": " + answer.getMessage()));
                    return notifyFounders(awaited, failed);
                });
    }

    /** Failures that a repetition cannot cure come first. */
    private static CompletableFuture<Void> incomplete(List<Refused> failed) {
        List<Refused> sorted = failed.stream()
                .sorted(Comparator.comparing(each -> !isFinal(each.code())))
                .toList();
        String why = String.join("; ", sorted.stream().map(Refused::getMessage).toList());
        ErrorCode first = sorted.get(0).code();
        return isFinal(first)
                ? Refused.with(first, "the cluster is founded, but not all founders are members: " + why)
                : Refused.with(
                        ErrorCode.UNAVAILABLE,
                        "the cluster is founded, but not all founders know it yet; ask again: " + why);
    }

    private static boolean isFinal(ErrorCode code) {
        return code == ErrorCode.INVALID || code == ErrorCode.ALREADY_EXISTS;
    }

    private static GroupMember toWire(Peer peer) {
        return GroupMember.newBuilder()
                .setId(peer.id())
                .setRaft(peer.raft())
                .setRpc(peer.rpc())
                .build();
    }
}
