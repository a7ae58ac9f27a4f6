package cleave.master.core;

import cleave.master.handoff.HandoffCoordinator;
import cleave.master.replication.Replication;
import cleave.master.servers.Clocks;
import cleave.master.servers.Session;
import cleave.master.servers.Sessions;
import cleave.master.state.AnswerCodec;
import cleave.master.state.MapChanges;
import cleave.master.state.MasterAnswer;
import cleave.master.state.MasterState;
import cleave.master.tables.ListedTables;
import cleave.master.takeover.Openings;
import cleave.model.Incarnation;
import cleave.model.KnownMasters;
import cleave.model.MapChange;
import cleave.model.Row;
import cleave.wire.MapUpdate;
import cleave.wire.RangeLoad;
import cleave.wire.RangeRow;
import cleave.wire.RangeState;
import cleave.wire.ServerClock;
import cleave.wire.ServerSpace;
import cleave.wire.Space;
import cleave.wire.StatusReply;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A master's status in pieces, all of one version of the map. Not thread-safe: {@link StatusFeed} owns it. It contains
 * the map only on a leader whose no-op was answered.
 */
final class StatusReport implements Iterator<StatusReply> {
    private final StatusReply.Builder first;
    private final @Nullable MasterState state;
    private final @Nullable MapChange map;
    private final Heard heard;
    private final ListedTables.Listing listing;
    /** The ids of tables of which nothing is known. */
    private final Set<Long> unnamed = new HashSet<>();

    private boolean begun;

    /** The soft state of the leader. */
    record Heard(
            Sessions sessions, Openings openings, HandoffCoordinator handoffs, ListedTables tables, long dropsMark) {}

    /** @param server the server whose ranges are included; empty for all */
    StatusReport(
            String self,
            String server,
            ListedTables.Listing listing,
            MasterAnswer proof,
            Replication replication,
            Heard heard) {
        this.listing = listing;
        this.heard = heard;
        first = StatusReply.newBuilder()
                .setStatus(AnswerCodec.status(proof))
                .setSelf(self)
                .setCluster(replication.cluster())
                .setLeader(replication.leaderAddress())
                .addAllPeers(replication.peers());
        if (proof.isOk()) {
            MasterState proved = replication.state();
            state = proved;
            KnownMasters masters = replication.masters();
            map = !server.isEmpty()
                    ? MapChanges.ownedBy(proved, server, masters)
                    : listing.isOfAll()
                            ? MapChanges.whole(proved, masters)
                            : MapChanges.of(proved, listing.rows(proved), masters);
            first.setTable(listing.table()).setNamesMissing(listing.problem());
            proved.drops().values().forEach(drop -> first.addDrops(drop.toWire()));
            first.setNextTable(proved.nextTable());
            first.setDfs(proved.dfs());
            first.setDropsMark(heard.dropsMark());
            heard.sessions().all().forEach(this::addSpace);
            addClocks(heard.sessions().clocks());
        } else {
            state = null;
            map = null;
        }
    }

    private void addSpace(Session session) {
        Incarnation incarnation = session.incarnation();
        Space space = session.space();
        if (incarnation != null && space != null) {
            first.addSpaces(ServerSpace.newBuilder()
                    .setIncarnation(incarnation.toWire())
                    .setSpace(space));
        }
    }

    private void addClocks(Clocks clocks) {
        first.setLeaderAheadTicks(clocks.leaderAhead());
        clocks.aheads()
                .forEach((incarnation, ahead) -> first.addClocks(ServerClock.newBuilder()
                        .setIncarnation(incarnation.toWire())
                        .setAheadTicks(ahead)
                        .setOff(clocks.isOff(incarnation))));
    }

    /**
     * Adds, before the first piece is taken, the cluster's feature level, the highest that the leader supports, and why
     * they differ.
     */
    void addLevel(int level, int next, List<String> heldBackBy) {
        first.setLevel(level).setNextLevel(next).addAllHeldBackBy(heldBackBy);
    }

    /** True if it contains the map, as only a leader's does. */
    boolean isOfLeader() {
        return map != null;
    }

    @Override
    public boolean hasNext() {
        return !begun || (map != null && map.hasNext());
    }

    @Override
    public StatusReply next() {
        StatusReply.Builder piece = begun ? StatusReply.newBuilder() : first;
        begun = true;
        if (map == null || state == null) {
            return piece.build();
        }
        MapUpdate rows = map.next();
        piece.setMap(rows);
        for (RangeRow wire : rows.getRowsList()) {
            Row row = state.rows().row(wire.getId());
            if (row != null) {
                piece.addStates(rangeState(state, row));
            }
        }
        return map.hasNext() || unnamed.isEmpty()
                ? piece.build()
                : piece.setNamesMissing(heard.tables().whyMissing(unnamed)).build();
    }

    private RangeState.Builder rangeState(MasterState of, Row row) {
        RangeState.Builder shown = RangeState.newBuilder()
                .setRange(row.id())
                .setState(heard.openings().stateOf(of, row));
        Session session = heard.sessions().of(row.owner());
        @Nullable RangeLoad load = session == null ? null : session.serving(row.id(), row.epoch());
        if (load != null) {
            shown.setEntitiesPerSecond(load.getEntitiesPerSecond())
                    .setBytes(load.getBytes())
                    .addAllDamagedFiles(load.getDamagedFilesList());
        }
        if (listing.named()) {
            heard.tables().describe(shown, row.range(), of, unnamed);
        }
        String handoff = heard.handoffs().kindOn(row.id());
        if (handoff != null) {
            shown.setHandoff(handoff);
        }
        String failure = heard.openings().lastFailureOf(row.id());
        return failure == null ? shown : shown.setTrouble(failure);
    }
}
