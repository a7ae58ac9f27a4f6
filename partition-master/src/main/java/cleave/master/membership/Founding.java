package cleave.master.membership;

import cleave.master.membership.GroupMembership.Phase;
import cleave.master.settings.MasterConfig.Peer;
import cleave.model.ClusterId;
import cleave.model.ClusterIdentity;
import cleave.model.FeatureLevels;
import cleave.model.Readiness;
import cleave.runtime.loop.EventLoop;
import cleave.wire.ErrorCode;
import cleave.wire.FoundReply;
import cleave.wire.GroupMember;
import cleave.wire.JoinReply;
import cleave.wire.JoinRequest;
import cleave.wire.Status;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How a master becomes a member of a cluster, which happens once in the life of its folder. Its public methods are thread-safe; all
 * else is confined to the master loop.
 *
 * <p>A master whose folder belongs to no cluster is <em>blank</em>: it takes no part in any log, so it neither votes nor leads, and
 * says so. Nothing but a request changes that. {@link #found} makes a new cluster, of which this master and those that its settings
 * name are the members; {@link #join} makes it a member of one that there is.
 *
 * <p>Invariant: a DFS belongs to one cluster for ever. The founder first writes the new id to its folder, then makes it the identity
 * of the DFS, which only one can, and only then is it a member. Wherever it ends in between, the same request goes on from there.
 */
public final class Founding {
    private static final Logger LOG = LoggerFactory.getLogger(Founding.class);
    private static final long LOOK_NANOS = 5_000_000_000L;

    private final EventLoop loop;
    private final Self self;
    private final Outside outside;
    private @Nullable GroupMembership kept;
    /** A founding or joining that has not ended. */
    private boolean busy;

    private boolean began;
    private boolean stopped;
    /** Empty as soon as this master takes part in a group. */
    private volatile String absence = "it has not looked into its folder yet";

    /**
     * What a master knows of itself before it is a member. Immutable.
     *
     * @param folder where it keeps what it has, for people
     * @param peers all masters, this one too, as its settings name them
     * @param levels the feature levels that it supports
     */
    public record Self(String id, String folder, List<Peer> peers, FeatureLevels levels) {
        public Self {
            peers = List.copyOf(peers);
        }

        /** Where its Raft service is, as its settings name it. */
        String raft() {
            return peers.stream()
                    .filter(peer -> peer.id().equals(id))
                    .map(Peer::raft)
                    .findFirst()
                    .orElse("");
        }
    }

    /** @param ids gives ids that no cluster has */
    public record Outside(MasterGroup group, ClusterFiles files, Joins joins, Supplier<ClusterId> ids) {}

    public Founding(EventLoop loop, Self self, Outside outside) {
        this.loop = loop;
        this.self = self;
        this.outside = outside;
    }

    /**
     * Once.
     *
     * @param found what the folder says; null if it belongs to no cluster. A member takes part in its group already
     */
    public void start(@Nullable GroupMembership found) {
        loop.submit(() -> {
            kept = found;
            began = found != null && found.isMember();
            absence = began ? "" : blank("");
            look();
        });
    }

    public void stop() {
        loop.submit(() -> stopped = true);
    }

    /** Why this master takes part in no group; empty if it does. */
    public String absence() {
        return absence;
    }

    /** Ready as soon as this master takes part in a group. */
    public Readiness readiness() {
        String why = absence;
        return why.isEmpty() ? Readiness.READY : Readiness.missing(why);
    }

    /** A blank master tells operators what the DFS says. */
    private void look() {
        if (stopped || began) {
            return;
        }
        inside(outside.files().identity(), "").thenAccept(identity -> {
            if (!began) {
                absence = blank(identity.map(this::ofDfs).orElse(""));
            }
        });
        loop.schedule(LOOK_NANOS, this::look);
    }

    private String blank(String ofDfs) {
        String folder = "this master is blank: its folder " + self.folder() + " belongs to no cluster";
        return ofDfs.isEmpty()
                ? folder + ". 'cleave admin masters found' founds one, with the masters " + ids(self.peers())
                        + " as its members"
                : folder + ofDfs;
    }

    private String ofDfs(ClusterIdentity identity) {
        GroupMembership intent = kept;
        return intent != null && intent.cluster().equals(identity.cluster())
                ? ". The founding of cluster " + identity.cluster()
                        + " is half done: 'cleave admin masters found' goes on"
                : ", but the DFS keeps the files of cluster " + identity
                        + ". If this master is a member of it, set master.dir to the folder that it had; if that folder"
                        + " is lost, have this master replaced by the others ('cleave admin masters replace')";
    }

    private static List<String> ids(List<Peer> peers) {
        return peers.stream().map(Peer::id).toList();
    }

    /**
     * Founds a cluster, or goes on with a founding that ended half-way.
     *
     * @param resume the cluster whose founder is lost; null for a new one
     */
    public CompletableFuture<FoundReply> found(@Nullable ClusterId resume) {
        CompletableFuture<FoundReply> caller = new CompletableFuture<>();
        loop.submit(() -> {
            GroupMembership before = kept;
            boolean already = began && before != null && before.awaited().isEmpty();
            alone(() -> begin(resume))
                    .handle((nothing, failure) -> FoundReply.newBuilder()
                            .setStatus(status(failure))
                            .setCluster(cluster())
                            .setAlready(already)
                            .build())
                    .thenAccept(caller::complete);
        });
        return caller;
    }

    /** One at a time; completes inside the loop. */
    private CompletableFuture<Void> alone(Supplier<CompletableFuture<Void>> action) {
        if (busy) {
            return refused(
                    ErrorCode.BUSY, "master " + self.id() + " is just becoming a member of a cluster; ask again");
        }
        busy = true;
        return action.get().whenComplete((nothing, failure) -> busy = false);
    }

    private CompletableFuture<Void> begin(@Nullable ClusterId resume) {
        GroupMembership membership = kept;
        if (membership == null || !began) {
            return inside(outside.files().identity(), "the DFS cannot be read")
                    .thenCompose(found -> decide(resume, found));
        }
        return resume == null || resume.equals(membership.cluster())
                ? tellOthers(new ArrayDeque<>(membership.awaited()), new ArrayList<>())
                : refused(
                        ErrorCode.ALREADY_EXISTS,
                        "master " + self.id() + " is a member of cluster " + membership.cluster() + ", not of "
                                + resume);
    }

    private CompletableFuture<Void> decide(@Nullable ClusterId resume, Optional<ClusterIdentity> found) {
        GroupMembership intent = kept;
        ClusterId wanted = resume != null ? resume : intent != null ? intent.cluster() : null;
        if (found.isPresent() && !found.get().cluster().equals(wanted)) {
            return refused(ErrorCode.ALREADY_EXISTS, otherThere(found.get(), resume));
        }
        if (found.isEmpty() && resume != null) {
            return refused(
                    ErrorCode.INVALID,
                    "the DFS belongs to no cluster, so cluster " + resume
                            + " was not founded on it: is setting dfs right? Without --resume a new cluster is founded");
        }
        if (found.isPresent() && resume == null) {
            return become(found.get().cluster()); // What this master had begun.
        }
        return inside(outside.files().hasRanges(), "the DFS cannot be listed").thenCompose(hasRanges -> {
            if (hasRanges) {
                return refused(ErrorCode.ALREADY_EXISTS, rangesThere(found));
            }
            return found.isPresent()
                    ? become(found.get().cluster())
                    : claim(wanted == null ? outside.ids().get() : wanted);
        });
    }

    private static String otherThere(ClusterIdentity found, @Nullable ClusterId resume) {
        String asked = resume == null ? "a new cluster" : "cluster " + resume;
        return asked + " cannot be founded: the DFS keeps the files of cluster " + found
                + ". To use that cluster, start its masters with the folders that they had. A new cluster needs another DFS"
                + " (setting dfs). If that founding ended half-way and its founder's disk is lost, go on with --resume "
                + found.cluster();
    }

    private static String rangesThere(Optional<ClusterIdentity> found) {
        return found.isPresent()
                ? "cluster " + found.get()
                        + " has files of ranges: its founding did not end half-way. Start its masters"
                        + " with the folders that they had"
                : "no cluster can be founded: the DFS keeps files of ranges, below ranges/, and does not say of which"
                        + " cluster. A new cluster needs an empty DFS (setting dfs)";
    }

    /** First the folder, then the DFS: so this master knows an id in the DFS for its own, whenever it ends. */
    private CompletableFuture<Void> claim(ClusterId cluster) {
        return keep(founder(cluster))
                .thenCompose(nothing -> inside(
                        outside.files().found(new ClusterIdentity(cluster, self.id())), "the DFS cannot be written"))
                .thenCompose(settled -> settled.cluster().equals(cluster)
                        ? become(cluster)
                        : refused(ErrorCode.ALREADY_EXISTS, otherThere(settled, null)));
    }

    /** The DFS belongs to this cluster, which has no member yet, or none that has done anything. */
    private CompletableFuture<Void> become(ClusterId cluster) {
        return begin(founder(cluster)).thenCompose(nothing -> {
            LOG.info("cluster founded cluster={} members={}", cluster, ids(self.peers()));
            return tellOthers(new ArrayDeque<>(others()), new ArrayList<>());
        });
    }

    private List<String> others() {
        return ids(self.peers()).stream().filter(id -> !id.equals(self.id())).toList();
    }

    /** What the folder says already, or is to say. The founder tells all the others. */
    private GroupMembership founder(ClusterId cluster) {
        GroupMembership intent = kept;
        return intent != null && intent.cluster().equals(cluster)
                ? intent
                : new GroupMembership(
                        cluster, self.id(), Phase.FOUNDING, outside.ids().get().text(), self.peers(), others());
    }

    /** Begins as a founder, unless this master did so before with a folder that it has lost. */
    private CompletableFuture<Void> begin(GroupMembership founder) {
        return keep(founder)
                .thenCompose(nothing ->
                        inside(outside.files().claim(self.id(), founder.token()), "the DFS cannot be written"))
                .thenCompose(first -> first.equals(founder.token())
                        ? takePart(founder)
                        : refused(
                                ErrorCode.ALREADY_EXISTS,
                                "master " + self.id() + " was a member of cluster " + founder.cluster()
                                        + " before, with another folder than " + self.folder()
                                        + ". Set master.dir to that one; if it is lost, have this master replaced by the"
                                        + " others ('cleave admin masters replace')"));
    }

    /** One after the other; those that do not answer are told when the request comes again. */
    private CompletableFuture<Void> tellOthers(ArrayDeque<String> others, List<Refused> failed) {
        GroupMembership membership = kept;
        String next = others.poll();
        if (membership == null || next == null) {
            return failed.isEmpty() ? CompletableFuture.completedFuture(null) : notAll(failed);
        }
        Peer peer = membership.founders().stream()
                .filter(each -> each.id().equals(next))
                .findFirst()
                .orElseThrow();
        JoinRequest.Builder request =
                JoinRequest.newBuilder().setCluster(membership.cluster().text()).setId(next);
        membership.founders().forEach(each -> request.addMembers(toWire(each)));
        return inside(outside.joins().join(peer.rpc(), request.build()), "no answer")
                .thenApply(JoinReply::getStatus)
                .exceptionally(Founding::status)
                .thenCompose(answer -> {
                    if (answer.getCode() == ErrorCode.OK) {
                        return keep(membership.withoutAwaited(next)).thenCompose(kept -> tellOthers(others, failed));
                    }
                    failed.add(new Refused(
                            answer.getCode(), "master " + next + " at " + peer.rpc() + ": " + answer.getMessage()));
                    return tellOthers(others, failed);
                });
    }

    /** What will not come right by itself is told first. */
    private static CompletableFuture<Void> notAll(List<Refused> failed) {
        List<Refused> sorted = failed.stream()
                .sorted(Comparator.comparing(each -> !isFinal(each.code)))
                .toList();
        String why = String.join("; ", sorted.stream().map(Refused::getMessage).toList());
        ErrorCode first = sorted.get(0).code;
        return isFinal(first)
                ? refused(first, "the cluster is founded, but not all of its founders are members: " + why)
                : refused(
                        ErrorCode.UNAVAILABLE,
                        "the cluster is founded, but not all of its founders know that yet; ask again: " + why);
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

    /** Makes this master a member of a cluster that there is. IllegalArgumentException if the request is malformed. */
    public CompletableFuture<JoinReply> join(JoinRequest request) {
        ClusterId cluster = new ClusterId(request.getCluster());
        List<Peer> members = request.getMembersList().stream()
                .map(member -> new Peer(member.getId(), member.getRaft(), member.getRpc()))
                .toList();
        CompletableFuture<JoinReply> caller = new CompletableFuture<>();
        loop.submit(() -> alone(
                        () -> members.isEmpty() ? add(cluster, request) : join(cluster, request.getId(), members))
                .handle((nothing, failure) -> JoinReply.newBuilder()
                        .setStatus(status(failure))
                        .setCluster(cluster())
                        .setMember(member())
                        .build())
                .thenAccept(caller::complete));
        return caller;
    }

    /** The leader adds this master to its group. */
    private CompletableFuture<Void> add(ClusterId cluster, JoinRequest request) {
        GroupMembership membership = kept;
        if (!request.getId().equals(self.id())) {
            return refused(ErrorCode.INVALID, "this is master " + self.id() + ", not " + request.getId());
        }
        if (membership != null && began && !membership.cluster().equals(cluster)) {
            return refused(ErrorCode.ALREADY_EXISTS, memberOfAnother(membership, cluster));
        }
        if (request.getLevel() != 0 && !self.levels().contains(request.getLevel())) {
            return refused(
                    ErrorCode.INVALID,
                    "cluster " + cluster + " is at feature level " + request.getLevel() + ", but the version of master "
                            + self.id() + " supports " + self.levels() + ": start it with the version of the others");
        }
        if (!request.getRaft().isEmpty() && !portOf(request.getRaft()).equals(portOf(self.raft()))) {
            return refused(
                    ErrorCode.INVALID,
                    "the others would look for the Raft service of master " + self.id() + " at " + request.getRaft()
                            + ", but by its own settings it is at " + self.raft());
        }
        if (membership == null || !began) {
            return joinDfs(cluster, () -> takePart(added(cluster)));
        }
        if (request.getBesideCount() == 0) {
            return refused(
                    ErrorCode.ALREADY_EXISTS,
                    "master " + self.id() + " is a member of cluster " + cluster + " already");
        }
        if (request.getBesideList().contains(membership.member())) {
            return CompletableFuture.completedFuture(null);
        }
        long term = outside.group().term();
        if (term > request.getTerm()) {
            return refused(
                    ErrorCode.UNAVAILABLE,
                    "master " + self.id() + " is asked to join by a leader of term " + request.getTerm()
                            + " and knows term " + term);
        }
        LOG.warn(
                "joins anew, for the leader does not count on what it was member={} leader={}",
                membership.member(),
                request);
        return leave().thenCompose(nothing -> joinDfs(cluster, () -> takePart(added(cluster))));
    }

    private static String portOf(String address) {
        return address.substring(address.lastIndexOf(':') + 1);
    }

    private String memberOfAnother(GroupMembership membership, ClusterId cluster) {
        return "master " + self.id() + " is a member of cluster " + membership.cluster() + " and cannot join cluster "
                + cluster + "; its folder is " + self.folder();
    }

    /** This master is a member no more, by what a leader says: it becomes blank. Nothing happens if it is another member by now. */
    public void removed(String member) {
        loop.submit(() -> {
            GroupMembership membership = kept;
            if (began && !busy && membership != null && membership.member().equals(member)) {
                LOG.warn("was removed from the masters of cluster={} member={}", membership.cluster(), member);
                alone(this::leave).whenComplete((nothing, failure) -> {
                    if (failure != null) {
                        LOG.error("cannot put aside what the folder keeps", failure);
                    }
                });
            }
        });
    }

    /** This master's part in the group ended by itself, but it is a member still: it begins anew, with the log that it has. */
    public void resume(String member) {
        loop.submit(() -> {
            GroupMembership membership = kept;
            if (began && !busy && membership != null && membership.member().equals(member)) {
                alone(() -> inside(outside.group().begin(membership), "the log cannot be begun"))
                        .whenComplete((nothing, failure) -> {
                            if (failure != null) {
                                LOG.error("cannot take part in the group again", failure);
                            }
                        });
            }
        });
    }

    private CompletableFuture<Void> leave() {
        GroupMembership membership = Objects.requireNonNull(kept);
        return inside(outside.group().leave(membership), "the folder " + self.folder() + " cannot be written")
                .thenAccept(nothing -> {
                    kept = null;
                    began = false;
                    absence = "this master was removed from cluster " + membership.cluster()
                            + " and is blank; what it had is put aside in its folder " + self.folder();
                });
    }

    private String member() {
        GroupMembership membership = kept;
        return membership != null && began ? membership.member() : "";
    }

    private CompletableFuture<Void> join(ClusterId cluster, String meant, List<Peer> members) {
        GroupMembership membership = kept;
        if (!meant.equals(self.id())) {
            return refused(
                    ErrorCode.INVALID,
                    "this is master " + self.id() + ", not " + meant
                            + ": compare master.peers with each master's master.id and master.listen");
        }
        if (membership != null && began) {
            return membership.cluster().equals(cluster)
                    ? CompletableFuture.completedFuture(null)
                    : refused(ErrorCode.ALREADY_EXISTS, memberOfAnother(membership, cluster));
        }
        if (!byId(members).equals(byId(self.peers()))) {
            return refused(
                    ErrorCode.INVALID,
                    "the cluster is founded with " + texts(members) + ", but setting master.peers of master "
                            + self.id() + " is " + texts(self.peers()));
        }
        return joinDfs(cluster, () -> begin(joining(founder(cluster))));
    }

    /** Both must be of one DFS. */
    private CompletableFuture<Void> joinDfs(ClusterId cluster, Supplier<CompletableFuture<Void>> joining) {
        return inside(outside.files().identity(), "the DFS cannot be read").thenCompose(found -> {
            if (found.isPresent() && found.get().cluster().equals(cluster)) {
                LOG.info("cluster joined cluster={}", cluster);
                return joining.get();
            }
            String held = found.map(identity -> "keeps the files of cluster " + identity)
                    .orElse("belongs to no cluster");
            return refused(
                    ErrorCode.INVALID,
                    "master " + self.id() + " cannot join cluster " + cluster + ": the DFS that its setting dfs names "
                            + held);
        });
    }

    /** Another tells the others. */
    private static GroupMembership joining(GroupMembership founder) {
        return new GroupMembership(
                founder.cluster(), founder.id(), founder.phase(), founder.token(), founder.founders(), List.of());
    }

    /** One whom the members add: it votes only when it has all that they have. */
    private GroupMembership added(ClusterId cluster) {
        return new GroupMembership(
                cluster, self.id(), Phase.FOUNDING, outside.ids().get().text(), List.of(), List.of());
    }

    private static List<Peer> byId(List<Peer> peers) {
        return peers.stream().sorted(Comparator.comparing(Peer::id)).toList();
    }

    private static String texts(List<Peer> peers) {
        return String.join(",", peers.stream().map(Peer::text).toList());
    }

    /** Becomes a member. The folder says so for good only when it has a log, so that a log that is lost is missed. */
    private CompletableFuture<Void> takePart(GroupMembership membership) {
        return keep(membership.in(Phase.JOINING))
                .thenCompose(nothing -> inside(
                        outside.group().begin(membership),
                        "the log cannot be begun; restart this master when that is cured"))
                .thenCompose(nothing -> {
                    began = true;
                    absence = "";
                    return keep(membership.in(Phase.MEMBER));
                });
    }

    private CompletableFuture<Void> keep(GroupMembership membership) {
        return inside(outside.group().keep(membership), "the folder " + self.folder() + " cannot be written")
                .thenAccept(nothing -> kept = membership);
    }

    private String cluster() {
        GroupMembership membership = kept;
        return membership != null && began ? membership.cluster().text() : "";
    }

    /** What is not done, and why. */
    private static final class Refused extends RuntimeException {
        private static final long serialVersionUID = 1;
        private final ErrorCode code;

        Refused(ErrorCode code, String message) {
            super(message, null, false, false);
            this.code = code;
        }
    }

    private static CompletableFuture<Void> refused(ErrorCode code, String message) {
        return CompletableFuture.failedFuture(new Refused(code, message));
    }

    private static Status status(@Nullable Throwable failure) {
        Throwable cause = cause(failure);
        if (cause == null) {
            return Status.getDefaultInstance();
        }
        ErrorCode code = cause instanceof Refused refused ? refused.code : ErrorCode.UNAVAILABLE;
        return Status.newBuilder().setCode(code).setMessage(message(cause)).build();
    }

    private static @Nullable Throwable cause(@Nullable Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }

    private static String message(@Nullable Throwable cause) {
        String message = cause == null ? null : cause.getMessage();
        return message == null ? String.valueOf(cause) : message;
    }

    /** Completes inside the loop; what fails is UNAVAILABLE. */
    private <T> CompletableFuture<T> inside(CompletableFuture<T> asked, String what) {
        CompletableFuture<T> heard = new CompletableFuture<>();
        asked.whenComplete((value, failure) -> loop.submit(() -> {
            if (failure == null) {
                heard.complete(value);
            } else {
                heard.completeExceptionally(new Refused(ErrorCode.UNAVAILABLE, what + ": " + message(cause(failure))));
            }
        }));
        return heard;
    }
}
