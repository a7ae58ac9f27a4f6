package cleave.master.membership;

import cleave.master.events.EventKind;
import cleave.master.events.Events;
import cleave.master.replication.Proposer;
import cleave.master.replication.Replication;
import cleave.master.servers.Session;
import cleave.master.servers.Sessions;
import cleave.master.settings.MasterSelf;
import cleave.master.state.MasterCommand.RaiseLevel;
import cleave.master.state.MasterState;
import cleave.master.state.Server;
import cleave.model.FeatureLevels;
import cleave.model.Incarnation;
import cleave.runtime.loop.EventLoop;
import cleave.wire.Event;
import cleave.wire.MasterPeer;
import cleave.wire.SupportedLevelsReply;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Raises the cluster's feature level as soon as every master and every registered server supports a higher one, and every master's
 * settings allow it. Confined to the master loop.
 *
 * <p>Masters are asked once a second; servers report their levels with each heartbeat. A process that is replaced by an
 * older version in the meantime finds a level that it does not support: a server is not admitted, a master halts, and
 * nothing is lost.
 */
public final class LevelRaise {
    private static final Logger LOG = LoggerFactory.getLogger(LevelRaise.class);
    private static final long ASK_NANOS = 1_000_000_000;
    private static final long VALID_NANOS = 3 * ASK_NANOS;

    private final EventLoop loop;
    private final MasterSelf self;
    private final Replication replication;
    private final MasterCalls calls;
    private final Sessions sessions;
    private final Events events;
    private final Proposer raising;
    private final TreeMap<String, Heard> masters = new TreeMap<>();
    private long askedAt;
    private long generation;

    public LevelRaise(
            EventLoop loop,
            MasterSelf self,
            Replication replication,
            MasterCalls calls,
            Sessions sessions,
            Events events) {
        this.loop = loop;
        this.self = self;
        this.replication = replication;
        this.calls = calls;
        this.sessions = sessions;
        this.events = events;
        this.raising = new Proposer(loop, replication);
    }

    /** The last answer of a master. */
    private record Heard(FeatureLevels levels, int allowed, long at) {}

    /** @param to the highest level that one member lets the cluster have, and why no higher one */
    private record Bound(int to, String why) {}

    public void begin(long now) {
        loop.assertInside();
        askedAt = now - ASK_NANOS;
    }

    public void clear() {
        loop.assertInside();
        generation++;
        masters.clear();
        raising.reset();
    }

    public void tick(MasterState state, long now) {
        loop.assertInside();
        if (state.level() >= self.levels().max()) {
            return;
        }
        if (now - askedAt >= ASK_NANOS) {
            askedAt = now;
            ask();
        }
        int to = self.levels().max();
        for (Bound bound : bounds(state, now)) {
            to = Math.min(to, bound.to());
        }
        if (to > state.level()) {
            raise(state, to);
        }
    }

    private void ask() {
        long askedIn = generation;
        for (MasterPeer peer : replication.peers()) {
            if (!peer.getId().equals(self.id())) {
                calls.supportedLevels(peer.getAddress(), ASK_NANOS)
                        .whenComplete((reply, failure) -> loop.submit(() -> {
                            if (generation == askedIn) {
                                heard(peer.getId(), reply);
                            }
                        }));
            }
        }
    }

    private void heard(String id, @Nullable SupportedLevelsReply reply) {
        if (reply == null || !reply.getMaster().equals(id)) {
            masters.remove(id);
        } else {
            masters.put(id, new Heard(levelsOf(reply), reply.getAllowed(), loop.nanos()));
        }
    }

    private static FeatureLevels levelsOf(SupportedLevelsReply reply) {
        try {
            return FeatureLevels.fromWire(reply.getLevels());
        } catch (IllegalArgumentException nonsense) {
            return FeatureLevels.UNTOLD;
        }
    }

    private void raise(MasterState state, int to) {
        List<Incarnation> able =
                state.servers().values().stream().map(Server::incarnation).toList();
        int from = state.level();
        raising.propose(new RaiseLevel(to, able), answer -> {
            if (answer.isOk()) {
                LOG.info("feature level raised from={} to={}", from, to);
                events.add(
                        EventKind.LEVEL_RAISED,
                        Event.newBuilder().setReason("every member supports feature level " + to));
            }
        });
    }

    private List<Bound> bounds(MasterState state, long now) {
        List<Bound> bounds = new ArrayList<>();
        bounds.add(allowed("master " + self.id(), self.levelAllowed()));
        for (MasterPeer peer : replication.peers()) {
            if (!peer.getId().equals(self.id())) {
                bounds.addAll(bounds("master " + peer.getId(), masters.get(peer.getId()), state.level(), now));
            }
        }
        for (Server server : state.servers().values()) {
            Session session = sessions.of(server.incarnation());
            FeatureLevels levels = session == null ? FeatureLevels.UNTOLD : session.levels();
            bounds.add(supported("server " + server.incarnation(), levels));
        }
        return bounds;
    }

    private static List<Bound> bounds(String who, @Nullable Heard heard, int level, long now) {
        if (heard == null || now - heard.at() > VALID_NANOS) {
            return List.of(new Bound(level, who + " does not say what it supports"));
        }
        return List.of(supported(who, heard.levels()), allowed(who, heard.allowed()));
    }

    private static Bound supported(String who, FeatureLevels levels) {
        return new Bound(levels.max(), who + " supports " + levels);
    }

    private static Bound allowed(String who, int allowed) {
        return new Bound(allowed, who + " allows level " + allowed + " by its setting master.feature-level");
    }

    /** Why the level is not the highest that this leader supports; empty if it is, or is about to be. */
    public List<String> heldBackBy(MasterState state, long now) {
        loop.assertInside();
        return bounds(state, now).stream()
                .filter(bound -> bound.to() < self.levels().max()
                        && state.level() < self.levels().max())
                .map(Bound::why)
                .toList();
    }
}
