package cleave.master.membership;

import cleave.master.membership.GroupMembership.Phase;
import cleave.master.settings.MasterSelf;
import cleave.model.ClusterIdentity;
import cleave.model.Readiness;
import cleave.runtime.loop.EventLoop;
import cleave.wire.ErrorCode;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This master's own membership: what its folder says, and whether it takes part in a group. Its public methods are thread-safe; all
 * else is confined to the master loop.
 *
 * <p>A master whose folder belongs to no cluster is <em>blank</em>: it takes part in no log, so it neither votes nor leads, and
 * reports that. Only a request changes it ({@link Founding}, {@link Joining}), and one request at a time.
 *
 * <p>Invariant: the folder names a membership before the master takes part in it, and says that it has a log only after the log was
 * begun. So a log that is lost is missed, and a master that ended in between can repeat the step.
 */
public final class OwnMembership {
    private static final Logger LOG = LoggerFactory.getLogger(OwnMembership.class);
    private static final long LOOK_NANOS = 5_000_000_000L;

    private final EventLoop loop;
    private final MasterSelf self;
    private final MasterGroup group;
    private final ClusterFiles files;
    private @Nullable GroupMembership kept;
    /** A founding, joining or leaving has not ended. */
    private boolean busy;

    private boolean began;
    private boolean stopped;
    /** Empty while this master takes part in a group. */
    private volatile String absence = "it has not looked into its folder yet";

    public OwnMembership(EventLoop loop, MasterSelf self, MasterGroup group, ClusterFiles files) {
        this.loop = loop;
        this.self = self;
        this.group = group;
        this.files = files;
    }

    /**
     * Called once.
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

    /** Ready while this master takes part in a group. */
    public Readiness readiness() {
        String why = absence;
        return why.isEmpty() ? Readiness.READY : Readiness.missing(why);
    }

    /** The cluster that this master is a member of; empty if it is blank. */
    public CompletableFuture<String> askCluster() {
        CompletableFuture<String> asked = new CompletableFuture<>();
        loop.submit(() -> asked.complete(cluster()));
        return asked;
    }

    /** A leader says that this member was removed: the master becomes blank, unless it is another member by now. */
    public void removed(String member) {
        loop.submit(() -> {
            GroupMembership membership = current();
            if (!busy && membership != null && membership.member().equals(member)) {
                LOG.warn("this master was removed from cluster={} member={}", membership.cluster(), member);
                alone(this::leave).whenComplete((nothing, failure) -> {
                    if (failure != null) {
                        LOG.error("the log of the removed member cannot be put aside", failure);
                    }
                });
            }
        });
    }

    /** The part of this member ended by itself, but it is still a member: it takes part again with the log that it has. */
    public void resume(String member) {
        loop.submit(() -> {
            GroupMembership membership = current();
            if (!busy && membership != null && membership.member().equals(member)) {
                alone(() -> inside(group.begin(membership), "the log cannot be opened"))
                        .whenComplete((nothing, failure) -> {
                            if (failure != null) {
                                LOG.error("this master cannot take part in its group again", failure);
                            }
                        });
            }
        });
    }

    /** A blank master reports to operators what the DFS says. */
    private void look() {
        loop.assertInside();
        if (stopped || began) {
            return;
        }
        inside(files.identity(), "").thenAccept(identity -> {
            if (!began) {
                absence = blank(identity.map(this::ofDfs).orElse(""));
            }
        });
        loop.schedule(LOOK_NANOS, this::look);
    }

    private String blank(String ofDfs) {
        String folder = "this master is blank: its folder " + self.folder() + " belongs to no cluster";
        return ofDfs.isEmpty()
                ? folder + ". 'cleave admin masters found' founds a cluster with the members " + self.peerIds()
                : folder + ofDfs;
    }

    private String ofDfs(ClusterIdentity identity) {
        GroupMembership intent = kept;
        return intent != null && intent.cluster().equals(identity.cluster())
                ? ". The founding of cluster " + identity.cluster()
                        + " was interrupted: 'cleave admin masters found' continues it"
                : ", but the DFS keeps the files of cluster " + identity
                        + ". If this master is a member of that cluster, set master.dir to its old folder; if that folder"
                        + " is lost, replace this master ('cleave admin masters replace'). If it is a new one, add it"
                        + " ('cleave admin masters add')";
    }

    MasterSelf self() {
        return self;
    }

    /** The content of the folder: a membership, or the intent of one; null if it belongs to no cluster. */
    @Nullable
    GroupMembership kept() {
        loop.assertInside();
        return kept;
    }

    /** The membership in which this master takes part; null if it is blank. */
    @Nullable
    GroupMembership current() {
        loop.assertInside();
        return began ? kept : null;
    }

    /** The cluster that this master is a member of; empty if it is blank. */
    String cluster() {
        loop.assertInside();
        GroupMembership membership = current();
        return membership == null ? "" : membership.cluster().text();
    }

    /** One action at a time; completes inside the loop. */
    CompletableFuture<Void> alone(Supplier<CompletableFuture<Void>> action) {
        loop.assertInside();
        if (busy) {
            return Refused.with(
                    ErrorCode.BUSY,
                    "master " + self.id() + " is becoming a member of a cluster at this moment; try again");
        }
        busy = true;
        return action.get().whenComplete((nothing, failure) -> busy = false);
    }

    /** Writes the membership to the folder. */
    CompletableFuture<Void> keep(GroupMembership membership) {
        return inside(group.keep(membership), "the folder " + self.folder() + " cannot be written")
                .thenAccept(nothing -> kept = membership);
    }

    CompletableFuture<Void> takePart(GroupMembership membership) {
        return keep(membership.in(Phase.JOINING))
                .thenCompose(nothing -> inside(
                        group.begin(membership), "the log cannot be opened; remove the cause and restart this master"))
                .thenCompose(nothing -> {
                    began = true;
                    absence = "";
                    return keep(membership.in(Phase.MEMBER));
                });
    }

    /** The master is blank afterwards. */
    CompletableFuture<Void> leave() {
        GroupMembership membership = Objects.requireNonNull(current());
        return inside(group.leave(membership), "the folder " + self.folder() + " cannot be written")
                .thenAccept(nothing -> {
                    kept = null;
                    began = false;
                    absence = "this master was removed from cluster " + membership.cluster()
                            + " and is blank; its old log is put aside in its folder " + self.folder();
                });
    }

    /** Completes inside the loop; a failure becomes UNAVAILABLE. */
    <T> CompletableFuture<T> inside(CompletableFuture<T> asked, String failed) {
        loop.assertInside();
        CompletableFuture<T> heard = new CompletableFuture<>();
        asked.whenComplete((value, failure) -> loop.submit(() -> {
            if (failure == null) {
                heard.complete(value);
            } else {
                heard.completeExceptionally(
                        new Refused(ErrorCode.UNAVAILABLE, failed + ": " + Refused.message(failure)));
            }
        }));
        return heard;
    }
}
