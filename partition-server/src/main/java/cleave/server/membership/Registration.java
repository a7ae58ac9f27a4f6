package cleave.server.membership;

import cleave.dfs.ClusterFile;
import cleave.dfs.DfsIdentityFile;
import cleave.model.ClusterIdentity;
import cleave.model.DfsIdentity;
import cleave.runtime.loop.EventLoop;
import cleave.server.outside.Backoffs;
import cleave.server.range.TimestampLimit;
import cleave.wire.ErrorCode;
import cleave.wire.RegisterReply;
import cleave.wire.RegisterRequest;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Registers a server with the masters, and tries again until one accepts it. Confined to the membership's loop, but for {@link #problem}.
 *
 * <p>A server registers in the cluster that owns its DFS. Its memory belongs to the cluster that the DFS was first seen to belong to.
 */
final class Registration {
    private static final Logger LOG = LoggerFactory.getLogger(Registration.class);

    private final EventLoop loop;
    private final Membership.Self self;
    private final Membership.Outside outside;
    private final TimestampLimit timestampLimit;
    private final Consumer<RegisterReply> registered;
    private Consumer<ClusterIdentity> clusterKnown = identity -> {};
    private String address = "";
    private @Nullable ClusterIdentity cluster;
    /** The id of the DFS, as it was read last; empty if it had none. */
    private String dfs = "";

    private int failures;
    private boolean underWay;
    private boolean stopped;
    private volatile String problem = "";

    /** @param registered called with each reply that gives the server an incarnation */
    Registration(
            EventLoop loop,
            Membership.Self self,
            Membership.Outside outside,
            TimestampLimit timestampLimit,
            Consumer<RegisterReply> registered) {
        this.loop = loop;
        this.self = self;
        this.outside = outside;
        this.timestampLimit = timestampLimit;
        this.registered = registered;
    }

    /**
     * Registers the server for the first time.
     *
     * @param reachedAt its address
     * @param known called once with the cluster of the DFS, as soon as that can be read
     */
    void begin(String reachedAt, Consumer<ClusterIdentity> known) {
        address = reachedAt;
        clusterKnown = known;
        register();
    }

    /** Registers the server, which has no incarnation. */
    void register() {
        loop.assertInside();
        if (stopped || underWay) {
            return;
        }
        underWay = true;
        loop.whenDone(ClusterFile.read(outside.dfs()), (identity, failure) -> {
            if (identity == null) {
                notYet("the DFS cannot be read: " + failure);
            } else if (identity.isEmpty()) {
                notYet("the DFS belongs to no cluster yet: 'cleave admin masters found' founds one");
            } else {
                registerIn(identity.get());
            }
        });
    }

    private void registerIn(ClusterIdentity identity) {
        ClusterIdentity known = cluster == null ? identity : cluster;
        if (cluster == null) {
            cluster = known;
            clusterKnown.accept(known);
        }
        if (!known.equals(identity)) {
            LOG.error("the DFS is another cluster's now was={} is={}", known, identity);
            notYet("the DFS keeps the files of cluster " + identity + ", but this server began in cluster " + known
                    + ": set dfs right and restart it");
            return;
        }
        learnDfs(failure -> {
            if (failure != null) {
                notYet("the DFS cannot be read: " + failure);
            } else {
                ask(identity);
            }
        });
    }

    /** Reads the id of the DFS. Leaders give it one; leaders of older versions give it none. */
    void learnDfs(Consumer<@Nullable Throwable> then) {
        loop.whenDone(DfsIdentityFile.read(outside.dfs()), (found, failure) -> {
            if (found != null) {
                dfs = found.map(DfsIdentity::id).orElse("");
            }
            then.accept(failure);
        });
    }

    private void ask(ClusterIdentity identity) {
        RegisterRequest request = RegisterRequest.newBuilder()
                .setServer(self.id())
                .setAddress(address)
                .setClockTicks(loop.ticks())
                .setCluster(identity.cluster().text())
                .setDfs(dfs)
                .setLevels(self.levels().toWire())
                .build();
        long askedNanos = loop.nanos();
        loop.whenDone(outside.masters().register(request), (reply, failure) -> {
            if (reply != null && reply.getStatus().getCode() == ErrorCode.OK) {
                underWay = false;
                failures = 0;
                problem = "";
                if (!stopped) {
                    timestampLimit.registered(request.getClockTicks(), askedNanos);
                    registered.accept(reply);
                }
            } else {
                notYet(
                        reply == null
                                ? String.valueOf(failure)
                                : reply.getStatus().getMessage());
            }
        });
    }

    private void notYet(String why) {
        underWay = false;
        if (!stopped) {
            failures++;
            problem = why;
            LOG.info("not registered yet failures={} reason={}", failures, why);
            loop.schedule(Backoffs.CALLS.nanos(failures), this::register);
        }
    }

    String address() {
        return address;
    }

    String dfs() {
        return dfs;
    }

    /** Why the server is not registered yet; empty if nothing is known. Thread-safe. */
    String problem() {
        return problem;
    }

    /** Registers the server no more. */
    void stop() {
        stopped = true;
    }
}
